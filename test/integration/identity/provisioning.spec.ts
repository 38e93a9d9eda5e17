import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { SignInBench, type ConfigColumns, type SignInOrganization } from '../../support/identity/sign-in-bench.js';

let bench: SignInBench;
beforeAll(async () => {
  bench = await SignInBench.start();
});
beforeEach(() => bench.provider.reset());
afterAll(() => bench.close());

interface MemberRow {
  id: string;
  user_id: string;
  subject: string;
  email: string | null;
  email_normalized: string | null;
  name: string | null;
  roles: string[];
  status: string;
}

const members = ({ id }: SignInOrganization): Promise<MemberRow[]> =>
  bench.rows(
    `select m.id, m.user_id, u.subject, u.email, u.email_normalized, u.name, m.roles, m.status from org_memberships m
       join users u on u.id = m.user_id where m.tenant_id = $1 order by m.created_at`,
    [id],
  );
const audited = ({
  id,
}: SignInOrganization): Promise<{ action: string; success: boolean; detail: object; actor_id: string }[]> =>
  bench.rows('select action, success, detail, actor_id from auth_audit_log where tenant_id = $1 order by id', [id]);
const signIn = (organization: SignInOrganization): Promise<Response> =>
  bench.signIn(bench.visitor(), organization.slug);

/** Arms an address, as breaking glass does. */
function arm(email: string, from = "now() + interval '7 days'"): ConfigColumns & { expiry: string } {
  return { bootstrap_owner_email: email, bootstrap_arm_audit_id: uuidv7(), expiry: from };
}
async function armed(email: string, expiry?: string): Promise<SignInOrganization & { armId: string }> {
  const organization = await bench.addOrganization();
  const { bootstrap_arm_audit_id: armId, expiry: ends } = arm(email, expiry);
  await bench.rows(
    `update org_idp_configs set bootstrap_owner_email = $2, bootstrap_arm_audit_id = $3, bootstrap_owner_expires_at = ${ends}
      where id = $1`,
    [organization.configId, email, armId],
  );
  return { ...organization, armId: String(armId) };
}

describe('who signs in', () => {
  it('CP-280 is one user however often, and is described as the provider does today', async () => {
    const organization = await bench.addOrganization();
    await signIn(organization);
    bench.provider.person = { sub: 'ada', email: 'Lovelace@example.org', email_verified: true };
    await signIn(organization);
    bench.provider.person = { sub: 'Ada', email: 'lovelace@example.org', email_verified: true, name: 'Another' };
    await signIn(organization);
    expect(await members(organization)).toEqual([
      expect.objectContaining({
        subject: 'ada',
        email: 'Lovelace@example.org',
        email_normalized: 'lovelace@example.org',
        name: null,
      }),
      expect.objectContaining({ subject: 'Ada', email_normalized: 'lovelace@example.org', name: 'Another' }),
    ]);
  });

  it('CP-280 has the roles of their groups at each login, and keeps the role of an owner', async () => {
    const organization = await bench.addOrganization({
      claim_mappings: { role_map: { ops: 'admin', ok: 'approver' } },
    });
    const roles = async (groups: string[]): Promise<string[] | undefined> => {
      bench.provider.person = { ...bench.provider.person, groups };
      expect((await signIn(organization)).status).toBe(302);
      return (await members(organization))[0]?.roles;
    };
    expect(await roles(['ops', 'ok'])).toEqual(['approver', 'admin']);
    expect(await roles([])).toEqual(['member']);
    await bench.rows(`update org_memberships set roles = '{member,admin,owner}' where tenant_id = $1`, [
      organization.id,
    ]);
    expect(await roles(['ok'])).toEqual(['approver', 'owner']);
  });

  it('CP-280 is on record: the login, with the session and the roles', async () => {
    const organization = await bench.addOrganization();
    await signIn(organization);
    const [member] = await members(organization);
    expect(await audited(organization)).toEqual([
      {
        action: 'session.login',
        success: true,
        actor_id: member?.user_id,
        detail: { idp_config_id: organization.configId, roles: ['member'] },
      },
    ]);
  });

  it('CP-282 signs in anew: the session of before ends with it', async () => {
    const organization = await bench.addOrganization();
    const visitor = bench.visitor();
    await bench.signIn(visitor, organization.slug);
    const first = visitor.session;
    expect((await bench.signIn(visitor, organization.slug)).status).toBe(302);
    expect(visitor.session).not.toBe(first);
    const sessions = await bench.rows<{ over: boolean }>(
      'select revoked_at is not null as over from user_sessions where tenant_id = $1 order by created_at',
      [organization.id],
    );
    expect(sessions).toEqual([{ over: true }, { over: false }]);
  });

  it.each(['org_memberships', 'users'])(
    'CP-280 CP-281 is refused when %s says that they are not active, on record',
    async (table) => {
      const organization = await bench.addOrganization();
      await signIn(organization);
      await bench.rows(`update ${table} set status = 'deactivated' where tenant_id = $1`, [organization.id]);
      bench.provider.person = { ...bench.provider.person, name: 'Changed' };
      const visitor = bench.visitor();
      const answer = await bench.signIn(visitor, organization.slug);
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('is not active')]);
      const [member] = await members(organization);
      expect([visitor.session, member?.name]).toEqual([undefined, 'Ada']);
      expect((await audited(organization)).at(-1)).toMatchObject({
        action: 'login.refused_deactivated',
        success: false,
        actor_id: member?.user_id,
      });
    },
  );

  it('CP-280 the same human in two organizations is two users', async () => {
    const [one, two] = [await bench.addOrganization(), await bench.addOrganization()];
    await signIn(one);
    await signIn(two);
    const [first, second] = [await members(one), await members(two)];
    expect([first.length, second.length, first[0]?.user_id === second[0]?.user_id]).toEqual([1, 1, false]);
  });
});

describe('the first owner', () => {
  it('CP-269 is whoever signs in with the armed address, once', async () => {
    const organization = await armed(' ADA@example.org');
    await signIn(organization);
    bench.provider.person = { ...bench.provider.person, sub: 'second' };
    await signIn(organization);
    expect((await members(organization)).map(({ roles }) => roles)).toEqual([['member', 'owner'], ['member']]);
    const entries = await audited(organization);
    expect(entries.map(({ action }) => action)).toEqual(['bootstrap_owner.promote', 'session.login', 'session.login']);
    expect(entries[0]?.detail).toMatchObject({ arm_id: organization.armId });
    expect(JSON.stringify(entries)).not.toContain('example.org');
    const [config] = await bench.rows('select bootstrap_owner_email as mail from org_idp_configs where id = $1', [
      organization.configId,
    ]);
    expect(config).toEqual({ mail: null });
  });

  it('CP-269 is one of twenty who sign in at once', async () => {
    const organization = await armed('ada@example.org');
    const logins = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const visitor = bench.visitor();
        return { visitor, location: await visitor.start(organization.slug) };
      }),
    );
    let next = 0;
    bench.provider.deviation = { claims: (good) => ({ ...good, sub: `person-${next++}` }) };
    const answers = await Promise.all(
      logins.map(({ visitor, location }) => visitor.get(bench.provider.authorize(location))),
    );
    expect(answers.every(({ status }) => status === 302)).toBe(true);
    const owners = (await members(organization)).filter(({ roles }) => roles.includes('owner'));
    expect(owners).toHaveLength(1);
  });

  it.each<[string, () => Promise<SignInOrganization>]>([
    ['when the arm is over', () => armed('ada@example.org', 'now()')],
    [
      'where an active owner exists',
      async () => {
        const organization = await armed('ada@example.org');
        bench.provider.person = { sub: 'boss', email: 'boss@example.org', email_verified: true };
        await signIn(organization);
        await bench.rows(`update org_memberships set roles = '{owner}' where tenant_id = $1`, [organization.id]);
        bench.provider.reset();
        return organization;
      },
    ],
  ])('CP-269 is nobody %s; the arm is consumed all the same', async (_, arrange) => {
    const organization = await arrange();
    await signIn(organization);
    const ada = (await members(organization)).find(({ subject }) => subject === 'ada');
    expect(ada?.roles).toEqual(['member']);
    expect((await audited(organization)).map(({ action }) => action)).toContain('bootstrap_owner.reject_and_consume');
    const [config] = await bench.rows('select bootstrap_owner_email as mail from org_idp_configs where id = $1', [
      organization.configId,
    ]);
    expect(config).toEqual({ mail: null });
  });

  it('CP-269 is not somebody whose address is not verified, or another; the arm stays', async () => {
    const organization = await armed('ada@example.org');
    await bench.configure({ claim_mappings: { require_email_verified: false } }, organization.configId);
    bench.provider.person = { sub: 'ada', email: 'ada@example.org', email_verified: false };
    await signIn(organization);
    bench.provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: true };
    await signIn(organization);
    expect((await members(organization)).map(({ roles }) => roles)).toEqual([['member'], ['member']]);
    const [config] = await bench.rows('select bootstrap_owner_email as mail from org_idp_configs where id = $1', [
      organization.configId,
    ]);
    expect(config).toEqual({ mail: 'ada@example.org' });
  });
});
