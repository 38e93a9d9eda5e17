import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signIn, type TestUser } from '../../support/api/users.js';
import { auditOf, startOrgBench, type OrgBench } from '../../support/identity/org-bench.js';
import { beginLogins, vouchFor } from '../../support/identity/provisioned.js';

let bench: OrgBench;
let org: { slug: string; id: string; path: string };
let configId: string;
beforeAll(async () => {
  bench = await startOrgBench();
});
afterAll(() => bench.close());
beforeEach(async () => {
  org = await bench.makeOrg();
  configId = (await bench.activate(org.slug)).id;
});

const move = (id: string, to: string, body?: unknown) => bench.call('POST', `${org.path}/idp/${id}/${to}`, body);

/** A person whom the active provider vouched for, signed in, with a login and a switch under way. */
async function comeIn(...roles: Parameters<OrgBench['addMember']>[1][]): Promise<{ user: TestUser; cookie: string }> {
  const user = await bench.addMember(org.id, ...roles);
  await vouchFor(bench.api, user, configId);
  const { cookie, sessionId } = await signIn(bench.api.db, user);
  await beginLogins(bench.api, user, { configId, sessionId });
  return { user, cookie };
}

const asBrowser = async (cookie: string) =>
  (await bench.api.call('GET', '/v1/agents', { token: null, headers: { cookie } })).status;
const asToken = async ({ token }: TestUser) => (await bench.api.get('/v1/agents', { token })).status;

async function openLogins(): Promise<{ flows: number; switches: number }> {
  const { rows } = await bench.api.database.owner.query<{ flows: number; switches: number }>(
    `select (select count(*)::int from login_flows where tenant_id = $1 and consumed_at is null) as flows,
            (select count(*)::int from pending_login_switches where tenant_id = $1 and consumed_at is null) as switches`,
    [org.id],
  );
  return rows[0]!;
}

describe('CP-268 a provider that is disabled', () => {
  it('ends its logins, switches and sessions in one step, and leaves tokens alone', async () => {
    const { user, cookie } = await comeIn('member');
    await comeIn('member');
    expect([await asBrowser(cookie), await asToken(user)]).toEqual([200, 200]);
    const ended = { flows_cancelled: 2, switches_cancelled: 2, sessions_revoked: 2 };
    expect((await move(configId, 'disable')).body).toEqual({ status: 'disabled', ...ended });
    expect(await openLogins()).toEqual({ flows: 0, switches: 0 });
    expect([await asBrowser(cookie), await asToken(user)]).toEqual([401, 200]);
    expect((await auditOf(bench, org.id)).at(-1)).toMatchObject({
      action: 'idp.disable',
      target: configId,
      detail: ended,
    });
    expect((await move(configId, 'reactivate')).status).toBe(200);
    expect(await asBrowser(cookie)).toBe(401);
  });

  it('does not count what was over before', async () => {
    await comeIn('member');
    await bench.api.database.owner.query(
      `update login_flows set expires_at = now() - interval '1 minute' where tenant_id = $1`,
      [org.id],
    );
    await bench.api.database.owner.query(
      `update user_sessions set idle_expires_at = now() - interval '1 minute' where tenant_id = $1`,
      [org.id],
    );
    expect((await move(configId, 'disable')).body).toMatchObject({
      flows_cancelled: 0,
      switches_cancelled: 1,
      sessions_revoked: 0,
    });
  });
});

describe('CP-269 a migration to another issuer', () => {
  it('puts a new provider in the place of the old one, whose members leave with it', async () => {
    const { user, cookie } = await comeIn('owner');
    const other = await bench.addMember(org.id, 'member');
    const { status, body } = await move(configId, 'migrate', bench.provider.body({ client_id: 'next' }));
    expect([status, body]).toEqual([
      200,
      {
        old_config: expect.objectContaining({ id: configId, status: 'retired', generation: 1 }),
        new_config: expect.objectContaining({ status: 'active', generation: 2, client_id: 'next' }),
        carry_forward: false,
        flows_cancelled: 1,
        switches_cancelled: 1,
        sessions_revoked: 1,
        memberships_deactivated: 1,
      },
    ]);
    expect([await asBrowser(cookie), await asToken(user), await asToken(other)]).toEqual([401, 401, 200]);
    const entries = (await auditOf(bench, org.id)).slice(-2);
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['idp.create', body.new_config.id],
      ['idp.migrate', configId],
    ]);
    expect(entries[1]?.detail).toMatchObject({ carry_forward: false, memberships_deactivated: 1, sessions_revoked: 1 });
    for (const to of ['activate', 'disable', 'reactivate', 'migrate'])
      expect((await move(configId, to, to === 'migrate' ? bench.provider.body() : undefined)).status).toBe(409);
  });

  it('carries members and their tokens forward when it is told to', async () => {
    const { user, cookie } = await comeIn('owner');
    const { body } = await move(configId, 'migrate', bench.provider.body({ carry_forward: true }));
    expect(body).toMatchObject({ carry_forward: true, sessions_revoked: 1, memberships_deactivated: 0 });
    expect([await asBrowser(cookie), await asToken(user)]).toEqual([401, 200]);
  });

  it('that is refused in the swap leaves the new provider staged', async () => {
    const staged = (await bench.call('POST', `${org.path}/idp`, bench.provider.body())).body.idp;
    const swaps = await Promise.all([
      move(configId, 'migrate', bench.provider.body()),
      move(configId, 'migrate', bench.provider.body()),
      move(configId, 'disable'),
    ]);
    expect(swaps.filter(({ status }) => status === 200).length).toBe(1);
    expect(swaps.filter(({ status }) => status === 409).length).toBe(2);
    const { idp_configs: configs } = (await bench.call('GET', `${org.path}/idp`)).body;
    expect(configs.filter(({ status }) => status === 'active').length).toBeLessThanOrEqual(1);
    expect(configs.find(({ id }) => id === staged.id)?.status).toBe('staged');
  });

  it('is refused before anything is staged when the provider is not active, and when what it names is not sound', async () => {
    const before = (await bench.call('GET', `${org.path}/idp`)).body.idp_configs.length;
    expect((await move(configId, 'migrate', bench.provider.body({ scopes: [] }))).status).toBe(400);
    expect((await move(configId, 'migrate', { carry_forward: true })).status).toBe(400);
    expect((await move(configId, 'migrate', bench.provider.body({ carry_forward: 'yes' }))).status).toBe(400);
    await move(configId, 'disable');
    expect((await move(configId, 'migrate', bench.provider.body())).status).toBe(409);
    expect((await bench.call('GET', `${org.path}/idp`)).body.idp_configs.length).toBe(before);
  });
});

describe('CP-269 a break-glass owner', () => {
  const arm = (email: unknown) => bench.call('POST', `${org.path}/break-glass-owner`, { email });

  it('is armed for seven days at the active provider, under the id of its entry in the log', async () => {
    const { status, body } = await arm(' Ada@Acme.Test');
    expect([status, body]).toEqual([
      200,
      { armed: true, arm_id: expect.any(String), config: expect.anything(), expires_at: expect.any(String) },
    ]);
    expect(body.config).toMatchObject({
      id: configId,
      bootstrap_owner_email: 'ada@acme.test',
      bootstrap_arm_audit_id: body.arm_id,
      bootstrap_owner_expires_at: body.expires_at,
    });
    const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThan(7.1);
    const { rows } = await bench.api.database.owner.query(
      'select action, target, detail from auth_audit_log where id = $1',
      [body.arm_id],
    );
    expect(rows).toEqual([
      {
        action: 'break_glass.arm',
        target: configId,
        detail: { email_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
      },
    ]);
  });

  it.each(['', 'ada', 7, null])('%j is no address: 400', async (email) => {
    expect((await arm(email)).status).toBe(400);
  });

  it('is refused while an active owner exists, and taken again when that one is gone', async () => {
    const owner = await bench.addMember(org.id, 'owner');
    expect((await arm('ada@acme.test')).status).toBe(409);
    await bench.call('POST', `${org.path}/members/${owner.membershipId}/deactivate`);
    expect((await arm('ada@acme.test')).status).toBe(200);
  });

  it('is refused without an active provider', async () => {
    await move(configId, 'disable');
    expect((await arm('ada@acme.test')).status).toBe(409);
    expect((await auditOf(bench, org.id)).at(-1)).toMatchObject({ action: 'break_glass.arm', success: false });
  });

  it('and a member who is made owner at the same moment: never both', async () => {
    const member = await bench.addMember(org.id, 'member');
    const [armed, made] = await Promise.all([
      arm('ada@acme.test'),
      bench.call('POST', `${org.path}/members/${member.membershipId}/roles`, { roles: ['owner'] }),
    ]);
    expect(made.status).toBe(200);
    const { rows } = await bench.api.database.owner.query<{ action: string }>(
      `select action from auth_audit_log where tenant_id = $1 and success and action in ('break_glass.arm', 'member.roles')
        order by id`,
      [org.id],
    );
    // Whoever came first was alone: an arm that was taken stands before the owner, and one that came second was refused.
    expect(rows.map(({ action }) => action)).toEqual(
      armed.status === 200 ? ['break_glass.arm', 'member.roles'] : ['member.roles'],
    );
  });
});
