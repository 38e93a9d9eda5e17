import type { Role } from '../../src/domain/identity/role.js';
import { signIn, TestUsers, type TestBrowser, type TestUser } from '../support/api/users.js';
import { defaultOrganization } from './prepared-runs.js';
import type { BenchStack } from './bench-stack.js';

/** Each has one live session and so many that are over, of which every third one idled out and the rest were revoked. */
const ENDED_SESSIONS = 9;
const AUDIT_ENTRIES = 20;

/** How many there are of each. */
export interface PopulationSize {
  /** In the organization of the installation, which is the one that is read. */
  members: number;
  organizations: number;
  /** In each of the other organizations. */
  membersElsewhere: number;
}

/** Somebody of the large organization with both credentials, and ids from within its lists. */
export interface Population {
  caller: TestUser;
  browser: TestBrowser;
  /** The default organization has it. */
  slug: string;
  /** A membership halfway down the list. */
  membershipId: string;
  email: string;
  sessionId: string;
  tokenId: string;
  auditId: string;
}

/** A person of the organization who holds a token and is signed in. */
export async function addCaller(
  stack: BenchStack,
  ...roles: Role[]
): Promise<{ caller: TestUser; browser: TestBrowser }> {
  const { organizationId } = await defaultOrganization(stack);
  const caller = await new TestUsers().add(stack.db, organizationId, ...roles);
  return { caller, browser: await signIn(stack.db, caller) };
}

/** Fills an installation with organizations made through its API and with people, their credentials and an audit log made by statements. */
export async function populate(stack: BenchStack, size: PopulationSize): Promise<Population> {
  for (let index = 1; index < size.organizations; index += 1) {
    await stack.json('POST', '/v1/admin/orgs', { slug: `company-${index}`, display_name: `Company ${index}` });
  }
  const { caller, browser } = await addCaller(stack, 'owner');
  const { rows } = await stack.owner.query<{ id: string }>('select id from tenants');
  for (const { id } of rows) {
    await addPeople(stack, id, id === caller.organizationId ? size.members : size.membersElsewhere);
  }
  // What the autovacuum does within a minute.
  await stack.owner.query('analyze users, org_memberships, user_sessions, api_tokens, auth_audit_log, tenants');
  return { caller, browser, slug: 'default', ...(await halfway(stack, caller.organizationId)) };
}

/** One statement for an organization: the newest row of each person is live, and what is over is older. */
async function addPeople(stack: BenchStack, organizationId: string, count: number): Promise<void> {
  await stack.owner.query(
    `with provider as (
        insert into org_idp_configs (id, tenant_id, generation, issuer, client_id, token_endpoint_auth, scopes, alg_allowlist,
            status, created_by)
          values (uuidv7(), $1, 1000, 'https://issuer.bench', 'sandgate', 'none', '{openid}', '{RS256}', 'staged', 'operator')
          returning id),
      people as materialized (
        select i, uuidv7(make_interval(secs => i - $2)) as user_id, uuidv7(make_interval(secs => i - $2)) as membership_id
          from generate_series(1, $2::int) i),
      accounts as (
        insert into users (id, tenant_id, email, email_normalized, email_verified, name, last_login_at)
          select user_id, $1, mail, mail, true, 'Person ' || i, now()
            from people, lateral (select 'person-' || i || '@example.com' as mail)),
      memberships as (
        insert into org_memberships (id, tenant_id, user_id, roles) select membership_id, $1, user_id, '{member}' from people),
      browsers as (
        insert into user_sessions (id, tenant_id, membership_id, user_id, session_token_sha256, idp_config_id, source_ip,
            user_agent, idle_expires_at, absolute_expires_at, revoked_at)
          select uuidv7(age), $1, membership_id, user_id, encode(sha256((user_id || 's' || k)::bytea), 'hex'), provider.id,
              '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
              case when k > 0 and k % 3 = 0 then now() - interval '1 hour' else now() + interval '8 hours' end,
              now() + interval '7 days', case when k > 0 and k % 3 > 0 then now() end
            from people, provider, generate_series(0, $3::int) k,
              lateral (select make_interval(hours => -12 * k, secs => i - $2) as age)),
      tokens as (
        insert into api_tokens (id, tenant_id, kind, membership_id, user_id, name, display_prefix, token_sha256, expires_at,
            revoked_at)
          select uuidv7(make_interval(days => -k, secs => i - $2)), $1, 'pat', membership_id, user_id, 'laptop', 'svc_pat_0000',
              encode(sha256((user_id || 't' || k)::bytea), 'hex'), now() + interval '90 days', case when k > 0 then now() end
            from people, generate_series(0, 1) k)
      insert into auth_audit_log (id, tenant_id, actor_kind, actor_id, source_ip, request_id, action, target, success, detail)
        select uuidv7(make_interval(hours => -12 * k, secs => i - $2)), $1, 'user', user_id, '192.0.2.1', gen_random_uuid(),
            case when k = $4 and i <= 20 then 'member.roles' when k % 10 = 1 then 'token.mint' else 'session.login' end,
            membership_id, not (k = $4 and i % 500 = 1), '{"user_agent": "Mozilla/5.0 (X11; Linux x86_64)"}'
          from people, generate_series(1, $4::int) k`,
    [organizationId, count, ENDED_SESSIONS, AUDIT_ENTRIES],
  );
}

async function halfway(
  stack: BenchStack,
  organizationId: string,
): Promise<Omit<Population, 'caller' | 'browser' | 'slug'>> {
  const at = (from: string): string =>
    `(select id from ${from} where tenant_id = $1 order by id offset (select count(*) / 2 from ${from} where tenant_id = $1) limit 1)`;
  const { rows } = await stack.owner.query<Omit<Population, 'caller' | 'browser' | 'slug'>>(
    `select m.id as "membershipId", u.email as email, ${at('user_sessions')} as "sessionId", ${at('api_tokens')} as "tokenId",
        ${at('auth_audit_log')} as "auditId"
      from org_memberships m join users u on u.id = m.user_id where m.id = ${at('org_memberships')}`,
    [organizationId],
  );
  if (rows[0] === undefined) throw new Error('nobody is in the organization');
  return rows[0];
}
