import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Schemas } from '../../../src/client/client.js';
import { ADMIN_TOKEN, startApi, type Answer, type TestApi } from '../../support/api/api.js';
import { deactivate, signIn, type TestBrowser, type TestUser } from '../../support/api/users.js';
import { createOrganization } from '../../support/runs/run-fixture.js';

const DAY_SECS = 86_400;

let api: TestApi;
let ada: TestUser;
let browser: TestBrowser;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  ada = await api.addUser('member');
  browser = await signIn(api.db, ada);
});

type Pat = Schemas['PersonalTokenView'];

const inBrowser = (method: string, path: string, body?: unknown, { headers } = browser): Promise<Answer> =>
  api.call(method, path, { token: null, headers, ...(body === undefined ? {} : { body }) });
const mint = (body: unknown, from = browser): Promise<Answer> => inBrowser('POST', '/v1/auth/tokens', body, from);
const revoke = (id: string, from = browser): Promise<Answer> =>
  inBrowser('DELETE', `/v1/auth/tokens/${id}`, undefined, from);

async function minted(body: unknown = { name: 'laptop' }, from = browser): Promise<{ token: string; pat: Pat }> {
  const answer = await mint(body, from);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body as unknown as { token: string; pat: Pat };
}

async function list(options: Parameters<TestApi['get']>[1]): Promise<Pat[]> {
  const answer = await api.get('/v1/auth/tokens', options);
  expect(answer.status).toBe(200);
  return (answer.body as unknown as { tokens: Pat[] }).tokens;
}

const lifetime = ({ created_at, expires_at }: Pat): number => (Date.parse(expires_at) - Date.parse(created_at)) / 1000;
const audited = async (id: string): Promise<unknown[]> => {
  const { rows } = await api.database.owner.query<object>(
    'select tenant_id, actor_kind, actor_id, action, success, detail from auth_audit_log where target = $1 order by id',
    [id],
  );
  return rows;
};

describe('minting a personal access token', () => {
  it('CP-267 CP-275 answers it once, and it stands for its owner', async () => {
    const { token, pat } = await minted({ name: '  laptop  ' });
    expect(token).toMatch(/^svc_pat_[0-9a-f]{64}$/);
    expect(pat).toEqual({
      ...{ id: pat.id, tenant_id: api.organizationId, membership_id: ada.membershipId, user_id: ada.userId },
      ...{ name: 'laptop', display_prefix: token.slice(0, 12), last_used_at: null, revoked_at: null },
      ...{ created_at: pat.created_at, expires_at: pat.expires_at },
    });
    const me = await api.get('/v1/auth/me', { token });
    expect(me.body).toMatchObject({ user_id: ada.userId, auth_kind: 'pat', roles: ['member'] });
  });

  it('CP-284 CP-285 stores nothing of it but its digest and the first twelve characters', async () => {
    const { token, pat } = await minted();
    const { rows } = await api.database.owner.query<{ row: string; token_sha256: string }>(
      'select t::text as row, token_sha256 from api_tokens t where id = $1',
      [pat.id],
    );
    expect(rows[0]?.token_sha256).toBe(createHash('sha256').update(token).digest('hex'));
    expect(rows[0]?.row).not.toContain(token.slice(0, 13));
  });

  it('CP-267 puts it on record without the token', async () => {
    const { pat } = await minted();
    const actor = { tenant_id: api.organizationId, actor_kind: 'user', actor_id: ada.userId, success: true };
    const detail = { user_id: ada.userId, expires_at: pat.expires_at };
    expect(await audited(pat.id)).toEqual([{ ...actor, action: 'token.mint', detail }]);
  });

  it.each<[unknown, number]>([
    [undefined, 90 * DAY_SECS],
    [3600, 3600],
    [60, 60],
    [59, 60],
    [0, 60],
    [-5, 60],
    [365 * DAY_SECS, 365 * DAY_SECS],
    [365 * DAY_SECS + 1, 365 * DAY_SECS],
    [Number.MAX_SAFE_INTEGER, 365 * DAY_SECS],
  ])('CP-267 with expires_in %p lives %d seconds', async (expires_in, seconds) => {
    const { pat } = await minted({ name: 'x', expires_in });
    expect(Math.round(lifetime(pat))).toBe(seconds);
  });

  it.each<[string, unknown]>([
    ['no name', {}],
    ['a blank name', { name: '   ' }],
    ['a name of 101 characters', { name: 'x'.repeat(101) }],
    ['a name that is no text', { name: 7 }],
    ['an end that is no number', { name: 'x', expires_in: '60' }],
    ['an end between seconds', { name: 'x', expires_in: 60.5 }],
    ['a scope', { name: 'x', scopes: ['agents.read'] }],
    ['a user', { name: 'x', user_id: '01900000-0000-7000-8000-000000000000' }],
    ['no object', []],
  ])('CP-267 CP-329 is 400 for %s', async (_what, body) => {
    const before = (await list(ada)).length;
    expect((await mint(body)).status).toBe(400);
    expect(await list(ada)).toHaveLength(before);
  });

  it('CP-267 takes a name of 100 characters', async () => {
    expect((await minted({ name: 'x'.repeat(100) })).pat.name).toHaveLength(100);
  });

  it('CP-267 CP-279 needs a browser session: 403 for a token and for the operator, 401 for nobody', async () => {
    for (const [token, status] of [
      [ada.token, 403],
      [ADMIN_TOKEN, 403],
      [null, 401],
    ] as const) {
      expect((await api.post('/v1/auth/tokens', { name: 'x' }, { token })).status).toBe(status);
      expect((await api.call('DELETE', `/v1/auth/tokens/${ada.userId}`, { token })).status).toBe(status);
    }
  });
});

describe('listing personal access tokens', () => {
  it('CP-267 answers the own ones newest first, those that are over among them, to browser and token', async () => {
    const stranger = await signIn(api.db, await api.addUser('owner'));
    await minted({ name: 'of a stranger' }, stranger);
    const ids: string[] = [];
    for (const name of ['one', 'two', 'three']) ids.unshift((await minted({ name })).pat.id);
    await revoke(ids[1] ?? '');
    const tokens = await list({ token: null, headers: browser.headers });
    expect(tokens.slice(0, 3).map(({ id }) => id)).toEqual(ids);
    expect(tokens).toHaveLength(4);
    expect(tokens.map(({ revoked_at }) => revoked_at !== null)).toEqual([false, true, false, false]);
    expect(JSON.stringify(tokens)).not.toMatch(/[0-9a-f]{64}/);
    const byToken = await list(ada);
    expect(byToken.map(({ id }) => id)).toEqual(tokens.map(({ id }) => id));
    // The use of it by which the list was just read.
    expect(byToken[3]?.last_used_at).not.toBeNull();
  });

  it('CP-267 is 403 for the operator, who is no person', async () => {
    expect((await api.get('/v1/auth/tokens')).status).toBe(403);
  });
});

describe('revoking a personal access token', () => {
  it('CP-267 ends it at once, once, and is on record', async () => {
    const { token, pat } = await minted();
    const answer = await revoke(pat.id);
    expect([answer.status, answer.body]).toEqual([200, { revoked: true, id: pat.id }]);
    expect((await api.get('/v1/auth/me', { token })).status).toBe(401);
    expect((await revoke(pat.id)).status).toBe(404);
    expect(await audited(pat.id)).toMatchObject([{ action: 'token.mint' }, { action: 'token.revoke', success: true }]);
  });

  it('CP-267 is 404 for the token of somebody else, whatever the role, of a run, and for what is no id', async () => {
    const owner = await signIn(api.db, await api.addUser('owner'));
    const elsewhere = await createOrganization(api.db);
    const foreign = await signIn(api.db, await api.users.add(api.db, elsewhere.organizationId, 'owner'));
    const { token, pat } = await minted();
    for (const from of [owner, foreign]) expect((await revoke(pat.id, from)).status).toBe(404);
    for (const id of [ada.userId, 'nothing', '%00']) expect((await revoke(id)).status).toBe(404);
    expect((await api.get('/v1/auth/me', { token })).status).toBe(200);
    expect(await audited(pat.id)).toHaveLength(1);
  });
});

describe('a personal access token', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['is expired', () => update(`api_tokens set expires_at = now() - interval '1 s' where user_id`)],
    ['is revoked', () => update('api_tokens set revoked_at = now() where user_id')],
    ['has lost its membership', () => deactivate(api.db, ada, 'membership')],
    ['has lost its account', () => deactivate(api.db, ada, 'account')],
  ])('CP-275 CP-301 is nobody once it %s', async (_what, end) => {
    expect((await api.get('/v1/auth/me', ada)).status).toBe(200);
    await end();
    const answer = await api.get('/v1/auth/me', ada);
    expect([answer.status, answer.body]).toEqual([401, { error: 'unauthorized' }]);
  });

  it('CP-048 CP-279 opens neither the operator plane nor a cookie', async () => {
    expect((await api.get('/v1/admin/metrics', ada)).status).toBe(401);
    expect(
      (await api.get('/v1/agents', { token: null, headers: { cookie: `__Host-svc_web=${ada.token}` } })).status,
    ).toBe(401);
  });

  it('CP-275 changes without the CSRF header, from whatever origin: no site can add it to a request', async () => {
    const headers = { origin: 'https://evil.example' };
    const body = { agent: 'fixer', task: 't', workspace: { kind: 'scratch' } };
    expect((await api.post('/v1/sessions', body, { token: ada.token, headers })).status).toBe(200);
  });
});

const update = (change: string): Promise<unknown> => api.database.owner.query(`update ${change} = $1`, [ada.userId]);
