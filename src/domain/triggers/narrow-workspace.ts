import { SandgateError } from '../errors.js';
import type { JsonObject } from '../json.js';
import type { RequestedWorkspace } from '../run/spec.js';
import { isRepositoryName, parseWorkspace } from '../run/workspace-input.js';

type GitRepository = Extract<RequestedWorkspace, { kind: 'git_repository' }>;

/** What a caller may choose: another place of the history of the repository that the trigger works on. */
const CHOOSABLE: readonly string[] = ['repository', 'ref', 'commit_sha'];
/** What says where the code comes from is the trigger's alone. */
const FIXED: readonly string[] = ['connection_id', 'clone_url', 'path', 'kind', 'checkout_mode'];

/**
 * The workspace of an invocation that names another ref or commit (CP-244). Repository and connection stay the trigger's.
 *
 * @param base of the trigger, else of its agent
 * @param cloneBase where repositories of connections are cloned from
 * @throws SandgateError `forbidden` for what would reach beyond the trigger's repository, `invalid_request` for anything else
 */
export function narrowWorkspace(
  base: RequestedWorkspace | null,
  override: JsonObject,
  cloneBase: string,
): RequestedWorkspace {
  const given = Object.fromEntries(Object.entries(override).filter(([, value]) => value !== null));
  for (const member of Object.keys(given)) refuseMember(member);
  if (base?.kind !== 'git_repository')
    throw invalid('the trigger works on no git repository, so there is nothing to choose in it');
  if (given['repository'] !== undefined) requireSame(base, given['repository']);
  const { repository, ...rest } = given;
  return parseWorkspace({ ...base, ...rest }, 'workspace', cloneBase);
}

function refuseMember(member: string): void {
  if (CHOOSABLE.includes(member)) return;
  const code = FIXED.includes(member) ? 'forbidden' : 'invalid_request';
  throw new SandgateError(code, `workspace.${member}: an invocation chooses ${CHOOSABLE.join(', ')} alone`);
}

function requireSame(base: GitRepository, repository: unknown): void {
  if (typeof repository !== 'string' || !isRepositoryName(repository)) throw invalid('repository must be owner/name');
  if (base.repository?.toLowerCase() === repository.toLowerCase()) return;
  throw new SandgateError('forbidden', 'workspace.repository: an invocation stays in the repository of its trigger');
}

function invalid(reason: string): SandgateError {
  return new SandgateError('invalid_request', `workspace: ${reason}`);
}
