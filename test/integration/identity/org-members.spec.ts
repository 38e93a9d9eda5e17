import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mintPersonalToken } from '../../../src/core/identity/personal-tokens.js';
import type { TenantTransaction } from '../../../src/core/record/database.js';
import { signIn, type TestUser } from '../../support/api/users.js';
import { auditOf, startOrgBench, type OrgBench } from '../../support/identity/org-bench.js';

let bench: OrgBench;
let org: { slug: string; id: string; path: string };
let owner: TestUser;
let admin: TestUser;
let member: TestUser;
beforeAll(async () => {
  bench = await startOrgBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  org = await bench.makeOrg();
  owner = await bench.addMember(org.id, 'owner');
  admin = await bench.addMember(org.id, 'admin');
  member = await bench.addMember(org.id, 'member');
});

type Plane = 'operator' | 'organization';
const PLANES: Plane[] = ['operator', 'organization'];

/** Asks either plane, the organization's own as its owner. */
const ask = (plane: Plane, method: string, path: string, body?: unknown) =>
  plane === 'operator'
    ? bench.call(method, `${org.path}${path}`, body)
    : bench.call(method, `/v1/org${path}`, body, owner.token);

const setRoles = (plane: Plane, user: TestUser, roles: unknown) =>
  ask(plane, 'POST', `/members/${user.membershipId}/roles`, { roles });
const move = (plane: Plane, user: TestUser, to: 'deactivate' | 'reactivate') =>
  ask(plane, 'POST', `/members/${user.membershipId}/${to}`);

describe.each(PLANES)('CP-268 members, by the %s', (plane) => {
  it('are listed with whom they are, a page after a cursor, and found by address', async () => {
    await bench.api.database.owner.query(
      `update users set email = 'Ada@Acme.test', email_normalized = 'ada@acme.test' where id = $1`,
      [member.userId],
    );
    const { status, body } = await ask(plane, 'GET', '/members');
    expect([status, body.members.map(({ user_id: id }) => id)]).toEqual([
      200,
      [owner.userId, admin.userId, member.userId],
    ]);
    expect(body.members[2]).toEqual({
      membership_id: member.membershipId,
      user_id: member.userId,
      roles: ['member'],
      membership_status: 'active',
      email: 'Ada@Acme.test',
      name: expect.any(String),
      user_status: 'active',
      idp_config_id: null,
      created_at: expect.any(String),
      last_login_at: null,
    });
    const page = await ask(plane, 'GET', `/members?limit=1&after=${owner.membershipId}`);
    expect(page.body.members.map(({ user_id: id }) => id)).toEqual([admin.userId]);
    const found = await ask(plane, 'GET', '/members?email=ada@ACME.test');
    expect(found.body.members.map(({ user_id: id }) => id)).toEqual([member.userId]);
    expect((await ask(plane, 'GET', '/members?limit=0')).status).toBe(400);
  });

  it('have the roles that they are given from their next request on', async () => {
    const { status, body } = await setRoles(plane, member, ['admin', 'approver', 'admin']);
    expect([status, body.membership]).toEqual([
      200,
      {
        id: member.membershipId,
        tenant_id: org.id,
        user_id: member.userId,
        roles: ['approver', 'admin'],
        status: 'active',
        created_at: expect.any(String),
        updated_at: expect.any(String),
        deactivated_at: null,
      },
    ]);
    expect((await bench.call('GET', '/v1/org/members', undefined, member.token)).status).toBe(200);
    expect((await auditOf(bench, org.id)).at(-1)).toMatchObject({
      action: 'member.roles',
      target: member.membershipId,
      actor_id: plane === 'operator' ? 'operator' : owner.userId,
      detail: { from: ['member'], to: ['approver', 'admin'] },
    });
  });

  it.each([[[]], [['root']], ['admin'], [null], [undefined]])('roles %j are refused with 400', async (roles) => {
    expect((await setRoles(plane, member, roles)).status).toBe(400);
    expect((await auditOf(bench, org.id)).at(-1)).toMatchObject({ action: 'member.roles', success: false });
  });

  it('lose their sessions and tokens with their membership, and may be let in again without them', async () => {
    const { cookie } = await signIn(bench.api.db, member);
    const deactivated = await move(plane, member, 'deactivate');
    expect(deactivated.body.membership).toMatchObject({ status: 'deactivated', deactivated_at: expect.any(String) });
    const browser = { token: null, headers: { cookie } };
    expect((await bench.api.get('/v1/agents', browser)).status).toBe(401);
    expect((await bench.api.get('/v1/agents', member)).status).toBe(401);
    const { rows } = await bench.api.database.owner.query<{ live: number }>(
      `select (select count(*) from user_sessions where user_id = $1 and revoked_at is null)
            + (select count(*) from api_tokens where user_id = $1 and revoked_at is null) as live`,
      [member.userId],
    );
    expect(Number(rows[0]?.live)).toBe(0);
    const again = await move(plane, member, 'deactivate');
    expect([again.status, again.body.membership.deactivated_at]).toEqual([
      200,
      deactivated.body.membership.deactivated_at,
    ]);
    const back = await move(plane, member, 'reactivate');
    expect(back.body.membership).toMatchObject({ status: 'active', deactivated_at: null, roles: ['member'] });
    expect((await bench.api.get('/v1/agents', member)).status).toBe(401);
    expect((await auditOf(bench, org.id)).slice(-3)).toMatchObject([
      { action: 'member.deactivate', detail: { sessions_revoked: 1, tokens_revoked: 1 } },
      { action: 'member.deactivate', detail: { sessions_revoked: 0, tokens_revoked: 0 } },
      { action: 'member.reactivate' },
    ]);
  });

  it('are 404 when they are not of the organization, like those who do not exist', async () => {
    const foreign = await bench.api.addUser('member');
    for (const path of [foreign.membershipId, '0190a0a0-0000-7000-8000-000000000000', 'x', member.userId]) {
      expect((await ask(plane, 'POST', `/members/${path}/roles`, { roles: ['member'] })).status).toBe(404);
      expect((await ask(plane, 'POST', `/members/${path}/deactivate`)).status).toBe(404);
      expect((await ask(plane, 'POST', `/members/${path}/reactivate`)).status).toBe(404);
    }
  });

  it('browser sessions are listed and ended, one, of a member, or all', async () => {
    const first = await signIn(bench.api.db, member);
    const second = await signIn(bench.api.db, member);
    const third = await signIn(bench.api.db, admin);
    const list = async (query = '') => (await ask(plane, 'GET', `/web-sessions${query}`)).body.web_sessions;
    expect((await list()).map(({ id }) => id)).toEqual([third.sessionId, second.sessionId, first.sessionId]);
    expect((await list())[1]).toMatchObject({ user_id: member.userId, membership_id: member.membershipId });
    expect(JSON.stringify(await list())).not.toMatch(/svc_web_|sha256/);
    expect((await list(`?member=${member.membershipId}&limit=1`)).map(({ id }) => id)).toEqual([second.sessionId]);
    expect((await list(`?before=${second.sessionId}`)).map(({ id }) => id)).toEqual([first.sessionId]);
    const one = await ask(plane, 'DELETE', `/web-sessions/${first.sessionId}`);
    expect([one.status, one.body]).toEqual([200, { revoked: true, id: first.sessionId }]);
    expect((await ask(plane, 'DELETE', `/web-sessions/${first.sessionId}`)).status).toBe(404);
    const ofMember = await ask(plane, 'POST', '/web-sessions/revoke', { membership_id: member.membershipId });
    expect(ofMember.body).toEqual({ sessions_revoked: 1 });
    expect((await list()).map(({ id }) => id)).toEqual([third.sessionId]);
    expect((await ask(plane, 'POST', '/web-sessions/revoke')).body).toEqual({ sessions_revoked: 1 });
    expect(await list()).toEqual([]);
    const browser = { token: null, headers: { cookie: third.cookie } };
    expect((await bench.api.get('/v1/agents', browser)).status).toBe(401);
    expect((await auditOf(bench, org.id)).slice(-4)).toMatchObject([
      { action: 'session.revoke', target: first.sessionId, success: true },
      { action: 'session.revoke', target: first.sessionId, success: false },
      { action: 'session.revoke', target: member.membershipId, detail: { sessions_revoked: 1 } },
      { action: 'session.revoke', target: null, detail: { sessions_revoked: 1 } },
    ]);
  });
});

describe('CP-268 a token that is minted while its member is being deactivated', () => {
  const mint = (tx: TenantTransaction) =>
    mintPersonalToken(
      tx,
      { kind: 'user', id: member.userId, sourceIp: null, requestId: null },
      { ...member, name: 'late' },
    );
  const liveTokens = async (): Promise<number> => {
    const { rows } = await bench.api.database.owner.query(
      'select 1 from api_tokens where user_id = $1 and revoked_at is null',
      [member.userId],
    );
    return rows.length;
  };

  it('is found and revoked, although it is committed later than the deactivation was asked for', async () => {
    const deactivating: Promise<unknown>[] = [];
    await bench.api.db.withTenant(org.id, async (tx) => {
      await mint(tx);
      deactivating.push(move('operator', member, 'deactivate'));
      await delay(200);
    });
    await Promise.all(deactivating);
    expect(await liveTokens()).toBe(0);
  });

  it('is of no use when it comes afterwards, also when the member is let in again', async () => {
    await move('operator', member, 'deactivate');
    const { token } = await bench.api.db.withTenant(org.id, mint);
    expect((await bench.api.get('/v1/agents', { token })).status).toBe(401);
    expect(await liveTokens()).toBe(1);
    await move('operator', member, 'reactivate');
    expect(await liveTokens()).toBe(0);
    expect((await bench.api.get('/v1/agents', { token })).status).toBe(401);
  });
});
