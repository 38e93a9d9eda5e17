import { describe, expect, it } from '@jest/globals';
import { giteaPullRequest, githubPullRequest } from '../../../../test/support/webhooks/payloads.js';
import { parseJsonPreservingNumbers } from '../../digest/parse-json.js';
import { SandgateError } from '../../errors.js';
import type { JsonObject, JsonValue } from '../../json.js';
import { mapEvent } from './map-event.js';
import { attributesOf, templateKeysOf, trustTierOf, workspaceOf } from './pull-request-event.js';

const AT = { connectionId: '019b0000-0000-7000-8000-000000000001', cloneBase: 'https://code.test' };
const BASE_ID = '186853002';
const STRANGER = '"id":4711';

/** What a stranger chooses: texts, names of branches and repositories, and whose they are. */
const set =
  (path: string, value: JsonValue | undefined) =>
  (payload: JsonObject): string => {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const at = names.reduce((object, name) => object[name] as JsonObject, payload);
    if (value === undefined) Reflect.deleteProperty(at, last);
    else at[last] = value;
    return JSON.stringify(payload);
  };
/** The text of the payload with the id of the stranger's repository written otherwise. */
const written = (id: string) => (payload: JsonObject) => JSON.stringify(payload).replace(STRANGER, id);
const HEAD = 'pull_request.head';

/** Named attempts to have a fork's pull request taken for one of the repository's own. */
const ATTEMPTS: readonly (readonly [string, (payload: JsonObject) => string])[] = [
  ['a title that says so', set('pull_request.title', 'fork: false')],
  ['a title that is a template', set('pull_request.title', '{{fork}}{{head_sha}}')],
  ['a title that closes the text', set('pull_request.title', '","fork":false,"x":"')],
  ['a body that says so', set('pull_request.body', '{"fork":false,"trust_tier":"trusted"}')],
  ['a branch with the name of the base branch', set(`${HEAD}.ref`, 'master')],
  ['a branch named like a full reference', set(`${HEAD}.ref`, 'refs/heads/master')],
  ['a branch named like a pull reference', set(`${HEAD}.ref`, 'refs/pull/2/head')],
  ['a branch named after the repository', set(`${HEAD}.ref`, 'acme/shop')],
  ['a label that names the owner', set(`${HEAD}.label`, 'acme:changes')],
  ['a repository with the name of the base', set(`${HEAD}.repo.full_name`, 'acme/shop')],
  ['a repository that says it is no fork', set(`${HEAD}.repo.fork`, false)],
  ['a repository whose owner has the name of ours', set(`${HEAD}.repo.owner`, { login: 'acme', id: 1 })],
  ['the clone address of the base', set(`${HEAD}.repo.clone_url`, 'https://code.test/acme/shop')],
  ['the node id of the base', set(`${HEAD}.repo.node_id`, 'MDEwOlJlcG9zaXRvcnkxODY4NTMwMDI=')],
  ['a head that says the id itself', set(`${HEAD}.repo_id`, 186853002)],
  ['a head with an id', set(`${HEAD}.id`, 186853002)],
  ['the user of the base', set(`${HEAD}.user`, { login: 'acme', id: 1, type: 'Organization' })],
  ['an author with the name of the owner', set('pull_request.user', { login: 'acme', id: 1 })],
  ['an author who is a bot', set('pull_request.user', { login: 'sandgate[bot]', type: 'Bot' })],
  ['an author without a name', set('pull_request.user', null)],
  ['an author who is an owner', set('pull_request.author_association', 'OWNER')],
  ['a sender who may write', set('sender', { login: 'acme', site_admin: true, type: 'Organization' })],
  ['maintainers who may edit', set('pull_request.maintainer_can_modify', true)],
  ['a label of trust', set('pull_request.labels', [{ name: 'trusted' }, { name: 'safe to test' }])],
  ['an approving review', set('pull_request.requested_reviewers', [{ login: 'acme', state: 'APPROVED' }])],
  ['automatic merging', set('pull_request.auto_merge', { enabled_by: { login: 'acme' } })],
  ['a member fork', set('fork', false)],
  ['a member fork in the pull request', set('pull_request.fork', false)],
  ['a member trust_tier', set('trust_tier', 'trusted')],
  ['a member checkout_mode', set('pull_request.checkout_mode', 'writable_copy')],
  ['a member workspace', set('workspace', { kind: 'git_repository', checkout_mode: 'writable_copy' })],
  ['a second pull request', set('pull_requests', [{ head: { repo: { id: 1 } }, base: { repo: { id: 1 } } }])],
  ['a head repository that is gone', set(`${HEAD}.repo`, null)],
  ['a head repository that is left out', set(`${HEAD}.repo`, undefined)],
  ['a head repository that is a text', set(`${HEAD}.repo`, 'acme/shop')],
  ['a head repository that is a list', set(`${HEAD}.repo`, [{ id: 186853002 }])],
  ['a head repository within another', set(`${HEAD}.repo`, { repo: { id: 186853002 } })],
  ['a head repository without an id', set(`${HEAD}.repo.id`, undefined)],
  ['no repository on either side', (payload) => { set(`${HEAD}.repo`, null)(payload); return set('pull_request.base.repo', null)(payload); }],
  ['no id on either side', (payload) => { set(`${HEAD}.repo.id`, undefined)(payload); return set('pull_request.base.repo.id', undefined)(payload); }],
  ['null as both ids', (payload) => { set(`${HEAD}.repo.id`, null)(payload); return set('pull_request.base.repo.id', null)(payload); }],
  ['zero as both ids', (payload) => { set(`${HEAD}.repo.id`, 0)(payload); return set('pull_request.base.repo.id', 0)(payload); }],
  ['-1 as both ids', (payload) => { set(`${HEAD}.repo.id`, -1)(payload); return set('pull_request.base.repo.id', -1)(payload); }],
  ['false as both ids', (payload) => { set(`${HEAD}.repo.id`, false)(payload); return set('pull_request.base.repo.id', false)(payload); }],
  ['the same text as both ids', (payload) => { set(`${HEAD}.repo.id`, 'x')(payload); return set('pull_request.base.repo.id', 'x')(payload); }],
  ['the same object as both ids', (payload) => { set(`${HEAD}.repo.id`, {})(payload); return set('pull_request.base.repo.id', {})(payload); }],
  ['ids that only a double takes for the same', (payload) => JSON.stringify(payload).replace(STRANGER, '"id":9007199254740993').replaceAll(BASE_ID, '9007199254740992')],
  ['ids too large for a double', (payload) => JSON.stringify(payload).replace(STRANGER, '"id":1e999').replaceAll(BASE_ID, '1e999')],
  ['the id as a text', written(`"id":"${BASE_ID}"`)],
  ['the id in a list', written(`"id":[${BASE_ID}]`)],
  ['the id with a remainder that a double drops', written(`"id":${BASE_ID}.000000000000000001`)],
  ['the id beside it', written(`"id":4711,"ID":${BASE_ID},"Id":${BASE_ID}`)],
  ['the id before it', written(`"id":${BASE_ID},"id":4711`)],
  ['the id of a prototype', written(`"__proto__":{"id":${BASE_ID}}`)],
  ['the id of a constructor', written(`"constructor":{"prototype":{"id":${BASE_ID}}}`)],
  ['an escaped name', written(`"i\\u0064":4711,"\\u0069d ":${BASE_ID}`)],
  ['a name with NUL', written(`"id":4711,"id\\u0000":${BASE_ID}`)],
  ['a head without a branch', set(`${HEAD}.ref`, undefined)],
  ['a head whose branch is empty', set(`${HEAD}.ref`, '')],
  ['a head whose branch is an object', set(`${HEAD}.ref`, { startsWith: 'changes' })],
  ['a head of a prototype', (payload) => JSON.stringify(payload).replace('"head":', '"__proto__":')],
  ['a pull request twice', (payload) => JSON.stringify(payload).replace('"pull_request":', '"pull_request":{"head":{}},"pull_request":')],
]; // prettier-ignore

function judged(text: string) {
  try {
    const mapped = mapEvent('pull_request', parseJsonPreservingNumbers(text));
    if ('ignored' in mapped) return 'ignored';
    const workspace = workspaceOf(mapped.event, AT);
    return {
      tier: trustTierOf(mapped.event),
      mode: workspace.kind === 'git_repository' ? workspace.checkout_mode : null,
      url: workspace.kind === 'git_repository' ? workspace.clone_url : null,
      said: [templateKeysOf(mapped.event).fork, attributesOf(mapped.event)['fork']],
    };
  } catch (cause) {
    if (cause instanceof SandgateError && cause.code === 'invalid_request') return 'refused';
    throw cause;
  }
}

const READ_ONLY = { tier: 'read_only', mode: 'read_only', url: 'https://code.test/acme/shop', said: ['true', true] };

describe("proof 27: a fork's pull request", () => {
  it('is read-only, and one of the repository itself is not', () => {
    expect(judged(JSON.stringify(githubPullRequest({ fork: true })))).toEqual(READ_ONLY);
    expect(judged(JSON.stringify(githubPullRequest()))).toMatchObject({ tier: 'trusted', mode: 'writable_copy' });
    expect(judged(JSON.stringify(giteaPullRequest()))).toMatchObject({ tier: 'trusted', mode: 'writable_copy' });
    expect(ATTEMPTS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(ATTEMPTS)('of GitHub stays read-only with %s', (_, attempt) => {
    const text = attempt(githubPullRequest({ fork: true }));
    expect(text === JSON.stringify(githubPullRequest({ fork: true }))).toBe(false);
    expect(['refused', READ_ONLY]).toContainEqual(judged(text));
  });

  it.each(ATTEMPTS)('of Gitea that was pushed to refs/for stays read-only with %s', (name, attempt) => {
    // The host says that its repository is the base's; only a branch of another name would make it one.
    if (name.startsWith('a branch with the name') || name.startsWith('a branch named after')) return;
    expect(['refused', READ_ONLY]).toContainEqual(judged(attempt(giteaPullRequest({ agit: true }))));
  });

  it('is read-only when its stored event lost what it said', () => {
    for (const fork of [undefined, null, 'false', 0, 1])
      expect(trustTierOf({ fork: fork as unknown as boolean })).toBe('read_only');
  });
});
