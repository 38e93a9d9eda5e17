import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../../support/api/users.js';
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

const setRoles = (user: TestUser, roles: unknown, as: TestUser) =>
  bench.call('POST', `/v1/org/members/${user.membershipId}/roles`, { roles }, as.token);
const move = (user: TestUser, to: 'deactivate' | 'reactivate', as: TestUser) =>
  bench.call('POST', `/v1/org/members/${user.membershipId}/${to}`, undefined, as.token);
const byOperator = (user: TestUser, step: string, body?: unknown) =>
  bench.call('POST', `${org.path}/members/${user.membershipId}/${step}`, body);

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
    expect((await setRoles(admin, ['owner'], admin)).status).toBe(403);
    expect((await setRoles(member, ['owner'], admin)).status).toBe(403);
    expect((await setRoles(owner, ['member'], admin)).status).toBe(403);
    expect((await move(owner, 'deactivate', admin)).status).toBe(403);
    expect((await setRoles(owner, ['owner', 'member'], admin)).status).toBe(200);
    expect((await setRoles(member, ['approver'], admin)).status).toBe(200);
    expect((await setRoles(admin, ['owner'], owner)).status).toBe(200);
    expect((await move(owner, 'deactivate', admin)).status).toBe(200);
    expect((await move(owner, 'reactivate', member)).status).toBe(403);
  });

  it('keeps its last owner; the operator alone may leave it without one', async () => {
    const demoted = await setRoles(owner, ['admin'], owner);
    expect([demoted.status, demoted.body.error]).toEqual([409, expect.stringMatching(/last active owner/)]);
    expect((await move(owner, 'deactivate', owner)).status).toBe(409);
    const second = await bench.addMember(org.id, 'owner');
    await bench.api.database.owner.query(`update users set status = 'deactivated' where id = $1`, [second.userId]);
    expect((await move(owner, 'deactivate', owner)).status).toBe(409);
    expect((await byOperator(owner, 'roles', { roles: ['admin'] })).status).toBe(200);
    expect((await byOperator(second, 'deactivate')).status).toBe(200);
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

  it('CP-285 has no token in its log that somebody pasted in the place of an id', async () => {
    const refused = await bench.call('DELETE', `/v1/org/tokens/${member.token}`, undefined, admin.token);
    expect(refused.status).toBe(404);
    const { rows } = await bench.api.database.owner.query<{ target: string }>(
      `select target from auth_audit_log where actor_id = $1 and not success order by id desc limit 1`,
      [admin.userId],
    );
    expect(rows).toEqual([{ target: '‹redacted›' }]);
  });

  it('reads its provider and never changes it', async () => {
    const active = await bench.activate(org.slug);
    const { body } = await bench.call('GET', '/v1/org/idp', undefined, admin.token);
    expect(body.idp_configs).toEqual([active]);
    expect((await bench.call('POST', '/v1/org/idp', bench.provider.body(), owner.token)).status).toBe(405);
  });

  it('reads its own log alone, a page before a cursor, by action and outcome', async () => {
    await setRoles(member, ['approver'], owner);
    await setRoles(member, ['owner'], admin);
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
