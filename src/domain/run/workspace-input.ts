import { SandgateError } from '../errors.js';
import { isJsonObject } from '../json.js';
import { isUuid } from '../uuid.js';
import { cloneUrlProblem, isBelowCloneBase } from './clone-url.js';
import { refProblem } from './git-ref.js';
import type { RequestedWorkspace } from './spec.js';

/** Kinds that a request may name; `none` and `local_path` are older names of `scratch` and `local_copy`. */
export const WORKSPACE_KINDS = ['scratch', 'local_copy', 'git_repository', 'upload', 'none', 'local_path'] as const;

/** How a repository is mounted for the agent; the first is the default (docs/design/workspaces.md). */
export const CHECKOUT_MODES = ['writable_copy', 'read_only'] as const;

/** The members of a workspace object as a client writes them; {@link parseWorkspace} decides whether they make sense. */
export interface WorkspaceInput {
  kind: string;
  path?: string | null;
  include?: string[] | null;
  connection_id?: string | null;
  repository?: string | null;
  clone_url?: string | null;
  ref?: string | null;
  commit_sha?: string | null;
  /** Of events alone: no request has it. */
  base_sha?: string | null;
  checkout_mode?: string | null;
  id?: string | null;
}

const KINDS = 'scratch, local_copy, git_repository or upload';
/** The kind that a member belongs to; `kind` belongs to all. */
const KIND_OF_MEMBER: Readonly<Record<Exclude<keyof WorkspaceInput, 'kind'>, RequestedWorkspace['kind']>> = {
  path: 'local_copy',
  include: 'local_copy',
  connection_id: 'git_repository',
  repository: 'git_repository',
  clone_url: 'git_repository',
  ref: 'git_repository',
  commit_sha: 'git_repository',
  base_sha: 'git_repository',
  checkout_mode: 'git_repository',
  id: 'upload',
};
const REPOSITORY = /^[A-Za-z0-9._-]+\/[A-Za-z0-9._-]+$/;
const COMMIT = /^[0-9a-fA-F]{7,40}$/;
const MAX_TEXT = 4096;
const MAX_INCLUDES = 64;

/** Where a repository named without `clone_url` and without a connection lives (docs/design/runs.md). */
const PUBLIC_CLONE_BASE = 'https://github.com';

/**
 * Reads one workspace object of a request (CreateRun `workspace`, its legacy alias `repo`, CreateAgent `default_workspace`).
 * The legacy kinds `none` and `local_path` become `scratch` and `local_copy`; null members count as absent,
 * and a member of another kind is refused, because its author expects it to have an effect.
 *
 * @param field name of the member in the request, first word of every refusal
 * @param cloneBase where repositories of connections are cloned from
 * @throws SandgateError `invalid_request` that names the field and the reason
 */
export function parseWorkspace(value: unknown, field: string, cloneBase: string): RequestedWorkspace {
  if (!isJsonObject(value)) throw invalid(`${field} must be an object with a kind (${KINDS})`);
  switch (value['kind']) {
    case 'scratch':
    case 'none':
      refuseOtherKinds(value, field, 'scratch');
      return { kind: 'scratch' };
    case 'local_copy':
    case 'local_path':
      refuseOtherKinds(value, field, 'local_copy');
      return parseLocalCopy(value, field);
    case 'git_repository':
      refuseOtherKinds(value, field, 'git_repository');
      return parseGitRepository(value, field, cloneBase);
    case 'upload':
      refuseOtherKinds(value, field, 'upload');
      return parseUpload(value, field);
    default:
      throw invalid(`${field}.kind must be ${KINDS}`);
  }
}

/**
 * The workspace of a new run: what the request says under `workspace` or `repo`, else the revision's default, else scratch.
 * Giving both is refused. An absent or null member counts as not given.
 */
export function resolveWorkspace(
  body: { workspace?: unknown; repo?: unknown },
  revisionDefault: RequestedWorkspace | null,
  cloneBase: string,
): RequestedWorkspace {
  const workspace = body.workspace ?? undefined;
  const repo = body.repo ?? undefined;
  if (workspace !== undefined && repo !== undefined) {
    throw invalid('workspace and repo are two names of one member: give only workspace');
  }
  if (workspace !== undefined) return parseWorkspace(workspace, 'workspace', cloneBase);
  if (repo !== undefined) return parseWorkspace(repo, 'repo', cloneBase);
  return revisionDefault ?? { kind: 'scratch' };
}

/**
 * A connection's credential is shown to the code host alone, whatever URL a request names. Asked again for the default
 * of a revision: the base may have changed since it was written.
 *
 * @throws SandgateError `invalid_request`
 */
export function assertWithinCloneBase(workspace: RequestedWorkspace, cloneBase: string, field = 'workspace'): void {
  if (workspace.kind !== 'git_repository' || workspace.connection_id === undefined) return;
  if (isBelowCloneBase(cloneBase, workspace.clone_url)) return;
  throw invalid(`${field}.clone_url must lie on the code host of the connection, below ${cloneBase}`);
}

function refuseOtherKinds(value: Record<string, unknown>, field: string, kind: RequestedWorkspace['kind']): void {
  for (const [member, ofKind] of Object.entries(KIND_OF_MEMBER)) {
    if (ofKind === kind || value[member] === undefined || value[member] === null) continue;
    throw invalid(`${field}.${member} is of kind ${ofKind}; this workspace is of kind ${kind}`);
  }
}

function parseLocalCopy(value: Record<string, unknown>, field: string): RequestedWorkspace {
  const path = text(value, 'path', field);
  if (path === undefined || path.trim() === '') throw invalid(`${field}.path must be a non-blank path on the server`);
  if (!path.startsWith('/')) throw invalid(`${field}.path must be absolute: it is read on the server`);
  const include = parseInclude(value['include'], field);
  return { kind: 'local_copy', path, ...(include === undefined ? {} : { include }) };
}

function parseInclude(value: unknown, field: string): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || value.length > MAX_INCLUDES) {
    throw invalid(`${field}.include must be a list of at most ${MAX_INCLUDES} globs`);
  }
  return value.map((glob, index) => {
    const name = `${field}.include[${index}]`;
    if (typeof glob !== 'string' || glob.trim() === '' || glob.length > MAX_TEXT || hasControl(glob)) {
      throw invalid(`${name} must be a non-blank glob without control characters`);
    }
    if (glob.startsWith('!') || glob.split('/').includes('..')) {
      throw invalid(`${name} must select files inside the copied folder: no leading ! and no ..`);
    }
    return glob;
  });
}

function parseGitRepository(value: Record<string, unknown>, field: string, cloneBase: string): RequestedWorkspace {
  const connectionId = text(value, 'connection_id', field);
  const repository = text(value, 'repository', field);
  const ref = text(value, 'ref', field);
  const commit = text(value, 'commit_sha', field);
  const base = text(value, 'base_sha', field);
  if (connectionId !== undefined && !isUuid(connectionId)) throw invalid(`${field}.connection_id must be a uuid`);
  if (repository !== undefined && !isRepositoryName(repository)) {
    throw invalid(`${field}.repository must be owner/name, both of letters, digits, dot, underscore and hyphen`);
  }
  if (commit !== undefined && !isCommit(commit))
    throw invalid(`${field}.commit_sha must be 7 to 40 hexadecimal digits`);
  if (base !== undefined && !isWholeCommit(base)) throw invalid(`${field}.base_sha must be 40 hexadecimal digits`);
  const problem = ref === undefined ? undefined : refProblem(ref);
  if (problem !== undefined) throw invalid(`${field}.ref ${problem}`);
  const under = connectionId === undefined ? null : cloneBase;
  const workspace: RequestedWorkspace = {
    kind: 'git_repository',
    ...(connectionId === undefined ? {} : { connection_id: connectionId.toLowerCase() }),
    ...(repository === undefined ? {} : { repository }),
    clone_url: cloneUrl(text(value, 'clone_url', field), repository, field, under),
    ...(ref === undefined ? {} : { ref }),
    ...(commit === undefined ? {} : { commit_sha: commit.toLowerCase() }),
    ...(base === undefined ? {} : { base_sha: base.toLowerCase() }),
    checkout_mode: checkoutMode(value['checkout_mode'], field),
  };
  assertWithinCloneBase(workspace, cloneBase, field);
  return workspace;
}

function parseUpload(value: Record<string, unknown>, field: string): RequestedWorkspace {
  const id = text(value, 'id', field);
  if (id === undefined || !isUuid(id)) throw invalid(`${field}.id must be the id of an upload`);
  return { kind: 'upload', id: id.toLowerCase() };
}

/** @param base of the connection that fetches; null without one */
function cloneUrl(
  given: string | undefined,
  repository: string | undefined,
  field: string,
  base: string | null,
): string {
  if (given === undefined) {
    if (repository === undefined) throw invalid(`${field} of kind git_repository needs repository or clone_url`);
    return base === null ? `${PUBLIC_CLONE_BASE}/${repository}.git` : `${base}/${repository}`;
  }
  const problem = cloneUrlProblem(given);
  if (problem !== undefined) throw invalid(`${field}.clone_url ${problem}`);
  return given;
}

function checkoutMode(value: unknown, field: string): (typeof CHECKOUT_MODES)[number] {
  const mode = CHECKOUT_MODES.find((known) => known === (value ?? CHECKOUT_MODES[0]));
  if (mode === undefined) throw invalid(`${field}.checkout_mode must be writable_copy or read_only`);
  return mode;
}

/** Whether the text is `owner/name`, neither of which can lead elsewhere in a URL or a path. */
export function isRepositoryName(name: string): boolean {
  return REPOSITORY.test(name) && !name.split('/').some((part) => part === '.' || part === '..');
}

/** Whether the text names a commit, whole or by its beginning. */
export function isCommit(text: string): boolean {
  return COMMIT.test(text);
}

/** Whether the text names a commit so that a code host can be asked for it alone. */
export function isWholeCommit(text: string): boolean {
  return isCommit(text) && text.length === 40;
}

function text(value: Record<string, unknown>, member: string, field: string): string | undefined {
  const given = value[member];
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string') throw invalid(`${field}.${member} must be a string`);
  if (given.length > MAX_TEXT) throw invalid(`${field}.${member} must be at most ${MAX_TEXT} characters`);
  if (given.includes('\0')) throw invalid(`${field}.${member} must not contain NUL`);
  return given;
}

function hasControl(value: string): boolean {
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  return /[\u0000-\u001f\u007f]/.test(value);
}

function invalid(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
