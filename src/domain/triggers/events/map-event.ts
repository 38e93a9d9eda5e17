import { isExactObject, type ExactJson, type ExactObject } from '../../digest/exact-json.js';
import { SandgateError } from '../../errors.js';
import { isCommit, isRepositoryName } from '../../run/workspace-input.js';
import type { EventName } from './event-names.js';
import { foreignText } from './foreign-text.js';
import { memberOf, objectMember, textMember } from './payload-members.js';
import type { PullRequestEvent } from './pull-request-event.js';

/** Actions as code hosts write them. */
const ACTIONS: Readonly<Record<string, EventName>> = {
  opened: 'pull_request.opened',
  reopened: 'pull_request.reopened',
  synchronize: 'pull_request.synchronize',
  // Gitea and Forgejo.
  synchronized: 'pull_request.synchronize',
};

/** PostgreSQL reads years of four digits. */
const YEAR_10000 = Date.UTC(10_000, 0);
/** Longest name of an event that is answered. */
const MAX_NAME = 100;

/** What a verified webhook is about: an event that subscriptions can listen to, or the name of one that none can. */
export type MappedEvent = { event: PullRequestEvent } | { ignored: string };

/** The host's name of an event, as it is answered. */
export function eventNameOf(header: string): string {
  return foreignText(header).slice(0, MAX_NAME);
}

/**
 * Reads a verified payload. Of an event that is not mapped nothing is read but its name.
 *
 * @param header the host's name of the event (`X-GitHub-Event`)
 * @throws SandgateError `invalid_request` for a pull request without a usable repository, number or commit
 */
export function mapEvent(header: string, payload: ExactJson): MappedEvent {
  const name = eventNameOf(header);
  if (name !== 'pull_request') return { ignored: name };
  if (!isExactObject(payload)) throw invalid('the payload', 'must be an object');
  const action = textMember(payload, 'action');
  const type = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (type === undefined) return { ignored: /^[a-z_]{1,64}$/.test(action) ? `${name}.${action}` : name };
  return { event: readPullRequest(type, payload) };
}

function readPullRequest(type: EventName, payload: ExactObject): PullRequestEvent {
  const pullRequest = objectMember(payload, 'pull_request');
  const [head, base] = [objectMember(pullRequest, 'head'), objectMember(pullRequest, 'base')];
  const repository = textMember(objectMember(payload, 'repository'), 'full_name');
  if (!isRepositoryName(repository))
    throw invalid('repository.full_name', 'must be owner/name, both of letters, digits, dot, underscore and hyphen');
  const sha = textMember(head, 'sha');
  if (!isCommit(sha)) throw invalid('pull_request.head.sha', 'must be 7 to 40 hexadecimal digits');
  const number = memberOf(pullRequest, 'number') ?? memberOf(payload, 'number');
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 1)
    throw invalid('pull_request.number', 'must be a whole number above zero');
  return {
    type,
    repository,
    number,
    head_sha: sha.toLowerCase(),
    fork: isFork(head, base),
    occurred_at: timeOf(pullRequest, 'updated_at') ?? timeOf(pullRequest, 'created_at'),
    title: foreignText(memberOf(pullRequest, 'title')),
    url: foreignText(memberOf(pullRequest, 'html_url')),
    author: foreignText(memberOf(objectMember(pullRequest, 'user'), 'login')) || 'unknown',
    head_ref: foreignText(memberOf(head, 'ref')),
    base_sha: foreignText(memberOf(base, 'sha')),
    base_ref: foreignText(memberOf(base, 'ref')),
  };
}

/**
 * Fails toward fork: both repositories must be named by the same id, and the head must be a branch. Gitea names the base repository as
 * that of the head for what was pushed to `refs/for/…` (AGit), which everybody who can read may do; the head is then no branch.
 */
function isFork(head: ExactObject, base: ExactObject): boolean {
  const ref = memberOf(head, 'ref');
  if (typeof ref !== 'string' || ref === '' || ref.startsWith('refs/')) return true;
  const ours = repositoryId(base);
  return ours === null || repositoryId(head) !== ours;
}

/** Ids that are not exactly doubles were kept as they were written, and count as missing. */
function repositoryId(branch: ExactObject): number | null {
  const id = memberOf(objectMember(branch, 'repo'), 'id');
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

function timeOf(pullRequest: ExactObject, name: string): string | null {
  const given = memberOf(pullRequest, name);
  // Only the form that hosts write: what else Date reads may mean another instant elsewhere.
  if (typeof given !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(given))
    return null;
  const at = new Date(given);
  return at.getTime() >= 0 && at.getTime() < YEAR_10000 ? at.toISOString() : null;
}

function invalid(what: string, reason: string): SandgateError {
  return new SandgateError('invalid_request', `${what} ${reason}`);
}
