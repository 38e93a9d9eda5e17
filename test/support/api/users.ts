import { hash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { mintWebSession, type SessionWindows } from '../../../src/core/identity/web-sessions.js';
import type { Role } from '../../../src/domain/identity/role.js';
import type { Database, TenantTransaction } from '../../../src/core/record/database.js';

/** A person of an organization, with a personal access token. */
export interface TestUser {
  organizationId: string;
  userId: string;
  membershipId: string;
  token: string;
}

/** People without a provider: their accounts, memberships and tokens are the real rows. */
export class TestUsers {
  /** A user with an active membership of these roles. */
  async add(db: Database, organizationId: string, ...roles: Role[]): Promise<TestUser> {
    const [userId, membershipId] = [uuidv7(), uuidv7()];
    const token = `svc_pat_${randomBytes(32).toString('hex')}`;
    await db.withTenant(organizationId, async (tx) => {
      const name = `user ${userId.slice(-4)}`;
      await tx.query('insert into users (id, tenant_id, name) values ($1, $2, $3)', [userId, organizationId, name]);
      await tx.query('insert into org_memberships (id, tenant_id, user_id, roles) values ($1, $2, $3, $4)', [
        membershipId,
        organizationId,
        userId,
        roles,
      ]);
      const digest = hash('sha256', token, 'hex');
      const row = [uuidv7(), membershipId, userId, 'of a test', token.slice(0, 12), digest, 86_400];
      await tx.query('select svc_insert_personal_token($1, $2, $3, $4, $5, $6, $7)', row);
    });
    return { organizationId, userId, membershipId, token };
  }
}

/** A browser in which a person is signed in; `headers` are those of a request by one of our pages. */
export interface TestBrowser {
  sessionId: string;
  cookie: string;
  headers: { cookie: string; 'x-service-csrf': string };
}

/** Signs the person in, at a provider of the organization that is only a row. */
export async function signIn(
  db: Database,
  { organizationId, userId, membershipId }: TestUser,
  windows: SessionWindows = { idleSecs: 28_800, absoluteSecs: 604_800 },
): Promise<TestBrowser> {
  const { id, token } = await db.withTenant(organizationId, async (tx) => {
    const idpConfigId = await activeProvider(tx);
    return mintWebSession(
      tx,
      {
        ...{ membershipId, userId, idpConfigId },
        ...{ acr: null, amr: null, authTime: null, idpSid: null, idToken: null },
        ...{ sourceIp: '127.0.0.1', userAgent: 'a test' },
      },
      windows,
    );
  });
  const cookie = `__Host-svc_web=${token}`;
  return { sessionId: id, cookie, headers: { cookie, 'x-service-csrf': '1' } };
}

async function activeProvider(tx: TenantTransaction): Promise<string> {
  // Of several who sign in at once, one makes it.
  await tx.query(`select pg_advisory_xact_lock(hashtext('the provider of a test'))`);
  const [active] = await tx.query<{ id: string }>(`select id from org_idp_configs where status = 'active'`);
  if (active !== undefined) return active.id;
  const id = uuidv7();
  await tx.query(
    `insert into org_idp_configs (id, tenant_id, generation, issuer, client_id, token_endpoint_auth, scopes, alg_allowlist,
        status, created_by)
      values ($1, $2, (select coalesce(max(generation), 0) + 1 from org_idp_configs), 'https://issuer.test', 'sandgate', 'none',
        '{openid}', '{RS256}', 'active', 'operator')`,
    [id, tx.organizationId],
  );
  return id;
}

/** The user's membership, or the account itself, is no longer active. */
export async function deactivate(
  db: Database,
  user: Pick<TestUser, 'organizationId' | 'userId'>,
  what: 'membership' | 'account',
): Promise<void> {
  const statement =
    what === 'membership'
      ? `update org_memberships set status = 'deactivated', deactivated_at = now() where user_id = $1`
      : `update users set status = 'deactivated' where id = $1`;
  await db.withTenant(user.organizationId, (tx) => tx.query(statement, [user.userId]));
}
