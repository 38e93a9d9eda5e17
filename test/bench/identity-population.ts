import type { Role } from '../../src/domain/identity/role.js';
import { addManyPeople } from '../support/identity/many-people.js';
import { signIn, TestUsers, type TestBrowser, type TestUser } from '../support/api/users.js';
import { defaultOrganization } from './prepared-runs.js';
import type { BenchStack } from './bench-stack.js';

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
    await addManyPeople(stack.owner, id, id === caller.organizationId ? size.members : size.membersElsewhere);
  }
  // What the autovacuum does within a minute.
  await stack.owner.query('analyze users, org_memberships, user_sessions, api_tokens, auth_audit_log, tenants');
  return { caller, browser, slug: 'default', ...(await halfway(stack, caller.organizationId)) };
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
