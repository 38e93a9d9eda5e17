import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
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

/** Asks either plane; the organization's own as its owner unless somebody else is named. */
const ask = (plane: Plane, method: string, path: string, body?: unknown, as: TestUser = owner) =>
  plane === 'operator'
    ? bench.call(method, `${org.path}${path}`, body)
    : bench.call(method, `/v1/org${path}`, body, as.token);

const setRoles = (plane: Plane, user: TestUser, roles: unknown, as?: TestUser) =>
  ask(plane, 'POST', `/members/${user.membershipId}/roles`, { roles }, as);
const move = (plane: Plane, user: TestUser, to: 'deactivate' | 'reactivate', as?: TestUser) =>
  ask(plane, 'POST', `/members/${user.membershipId}/${to}`, undefined, as);

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

describe('CP-268 an organization runs itself', () => {
  it('shows its record to every member, and the rest to admins and owners', async () => {
    const approver = await bench.addMember(org.id, 'approver');
    for (const user of [member, approver, admin, owner])
      expect((await bench.call('GET', '/v1/org', undefined, user.token)).body.org.slug).toBe(org.slug);
    const id = member.membershipId;
    const managing: [string, string, unknown?][] = [
      ['GET', '/members'],
      ['POST', `/members/${id}/roles`, { roles: ['member'] }],
      ['POST', `/members/${id}/reactivate`],
      ['GET', '/web-sessions'],
      ['POST', '/web-sessions/revoke'],
      ['GET', '/tokens'],
      ['GET', '/idp'],
      ['GET', '/audit'],
    ];
    for (const [method, path, body] of managing) {
      for (const user of [member, approver])
        expect([path, (await bench.call(method, `/v1/org${path}`, body, user.token)).status]).toEqual([path, 403]);
      for (const user of [admin, owner])
        expect([path, (await bench.call(method, `/v1/org${path}`, body, user.token)).status]).toEqual([path, 200]);
    }
    const refused = (await auditOf(bench, org.id)).filter(({ success }) => !success);
    expect(refused.length).toBe(6);
    expect(refused[0]).toMatchObject({
      action: 'member.roles',
      actor_id: member.userId,
      detail: { code: 'forbidden' },
    });
  });

  it('lets nobody but owners decide about owners', async () => {
    expect((await setRoles('organization', admin, ['owner'], admin)).status).toBe(403);
    expect((await setRoles('organization', member, ['owner'], admin)).status).toBe(403);
    expect((await setRoles('organization', owner, ['member'], admin)).status).toBe(403);
    expect((await move('organization', owner, 'deactivate', admin)).status).toBe(403);
    expect((await setRoles('organization', owner, ['owner', 'member'], admin)).status).toBe(200);
    expect((await setRoles('organization', member, ['approver'], admin)).status).toBe(200);
    expect((await setRoles('organization', admin, ['owner'], owner)).status).toBe(200);
    expect((await move('organization', owner, 'deactivate', admin)).status).toBe(200);
    expect((await move('organization', owner, 'reactivate', member)).status).toBe(403);
  });

  it('keeps its last owner; the operator alone may leave it without one', async () => {
    const demoted = await setRoles('organization', owner, ['admin'], owner);
    expect([demoted.status, demoted.body.error]).toEqual([409, expect.stringMatching(/last active owner/)]);
    expect((await move('organization', owner, 'deactivate', owner)).status).toBe(409);
    const second = await bench.addMember(org.id, 'owner');
    await bench.api.database.owner.query(`update users set status = 'deactivated' where id = $1`, [second.userId]);
    expect((await move('organization', owner, 'deactivate', owner)).status).toBe(409);
    expect((await setRoles('operator', owner, ['admin'])).status).toBe(200);
    expect((await move('operator', second, 'deactivate')).status).toBe(200);
  });

  it('keeps one of two owners who remove each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await bench.makeOrg();
      const [left, right] = [await bench.addMember(other.id, 'owner'), await bench.addMember(other.id, 'owner')];
      const remove = (by: TestUser, whom: TestUser, how: number) =>
        how % 2 === 0
          ? bench.call('POST', `/v1/org/members/${whom.membershipId}/deactivate`, undefined, by.token)
          : bench.call('POST', `/v1/org/members/${whom.membershipId}/roles`, { roles: ['member'] }, by.token);
      const answers = await Promise.all([remove(left, right, round), remove(right, left, round + 1)]);
      expect(answers.filter(({ status }) => status === 200).length).toBe(1);
      const { rows } = await bench.api.database.owner.query(
        `select 1 from org_memberships where tenant_id = $1 and status = 'active' and 'owner' = any (roles)`,
        [other.id],
      );
      expect(rows.length).toBe(1);
    }
  });

  it('lists and revokes tokens of its members', async () => {
    const { body } = await bench.call('GET', '/v1/org/tokens', undefined, admin.token);
    expect(body.tokens.map(({ user_id: id }) => id)).toEqual([member.userId, admin.userId, owner.userId]);
    expect(Object.keys(body.tokens[0]!).sort()).toEqual([
      ...['created_at', 'display_prefix', 'email', 'expires_at', 'id', 'last_used_at', 'membership_id', 'name'],
      ...['revoked_at', 'tenant_id', 'user_id'],
    ]);
    const [first] = (await bench.call('GET', `/v1/org/tokens?member=${member.membershipId}`, undefined, admin.token))
      .body.tokens;
    const revoked = await bench.call('DELETE', `/v1/org/tokens/${first!.id}`, undefined, admin.token);
    expect([revoked.status, revoked.body]).toEqual([200, { revoked: true, id: first!.id }]);
    expect((await bench.call('DELETE', `/v1/org/tokens/${first!.id}`, undefined, admin.token)).status).toBe(404);
    expect((await bench.api.get('/v1/agents', member)).status).toBe(401);
    const foreign = await bench.api.addUser('admin');
    const [other] = (await bench.call('GET', '/v1/org/tokens', undefined, foreign.token)).body.tokens;
    expect((await bench.call('DELETE', `/v1/org/tokens/${other!.id}`, undefined, admin.token)).status).toBe(404);
    expect((await auditOf(bench, org.id)).filter(({ action }) => action === 'token.revoke')).toMatchObject([
      { target: first!.id, success: true, actor_id: admin.userId },
      { target: first!.id, success: false },
      { target: other!.id, success: false },
    ]);
  });

  it('reads its provider and never changes it', async () => {
    const active = await bench.activate(org.slug);
    const { body } = await bench.call('GET', '/v1/org/idp', undefined, admin.token);
    expect(body.idp_configs).toEqual([active]);
    expect((await bench.call('POST', '/v1/org/idp', bench.provider.body(), owner.token)).status).toBe(405);
  });

  it('reads its own log alone, a page before a cursor, by action and outcome', async () => {
    await setRoles('organization', member, ['approver'], owner);
    await setRoles('organization', member, ['owner'], admin);
    const list = async (query = '') =>
      (await bench.call('GET', `/v1/org/audit${query}`, undefined, admin.token)).body.entries;
    const all = await list();
    expect(all.map(({ action, success }) => [action, success])).toEqual([
      ['member.roles', false],
      ['member.roles', true],
      ['org.create', true],
    ]);
    expect(all.every(({ tenant_id: id }) => id === org.id)).toBe(true);
    expect(all[1]).toMatchObject({ actor_kind: 'user', actor_id: owner.userId, source_ip: expect.any(String) });
    expect(all[1]?.request_id).toEqual(expect.any(String));
    expect((await list('?success=false')).length).toBe(1);
    expect((await list('?action=org.create')).length).toBe(1);
    expect((await list(`?before=${all[0]!.id}&limit=1`)).map(({ id }) => id)).toEqual([all[1]!.id]);
    for (const bad of ['?success=maybe', '?action=nothing', '?before=x', '?org=default', '?limit=-1'])
      expect((await bench.call('GET', `/v1/org/audit${bad}`, undefined, admin.token)).status).toBe(400);
  });

  it('is shown to the operator with the refusals that no organization has', async () => {
    await bench.call('POST', '/v1/admin/orgs', { slug: org.slug });
    const all = (await bench.call('GET', '/v1/admin/audit?limit=1')).body.entries;
    expect(all).toMatchObject([{ tenant_id: null, action: 'org.create', success: false, target: org.slug }]);
    const own = (await bench.call('GET', `/v1/admin/audit?org=${org.slug}`)).body.entries;
    expect(own.map(({ action }) => action)).toEqual(['org.create']);
  });
});
