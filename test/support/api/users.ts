import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { UserCredentials, type UserIdentity } from '../../../src/api/auth/user-credentials.js';
import type { Role } from '../../../src/domain/identity/role.js';
import type { Database } from '../../../src/core/record/database.js';

/** A person of an organization, with a bearer that the test's API takes for theirs. */
export interface TestUser extends UserIdentity {
  token: string;
}

/** Stands in for signing in: tokens that it gave out belong to the users that it made. Roles and status are the real rows. */
export class TestUsers extends UserCredentials {
  private readonly identities = new Map<string, UserIdentity>();

  find(bearer: string): Promise<UserIdentity | null> {
    return Promise.resolve(this.identities.get(bearer) ?? null);
  }

  /** A user with an active membership of these roles. */
  async add(db: Database, organizationId: string, ...roles: Role[]): Promise<TestUser> {
    const userId = uuidv7();
    await db.withTenant(organizationId, async (tx) => {
      await tx.query('insert into users (id, tenant_id, name) values ($1, $2, $3)', [
        userId,
        organizationId,
        `user ${userId.slice(-4)}`,
      ]);
      await tx.query('insert into org_memberships (id, tenant_id, user_id, roles) values ($1, $2, $3, $4)', [
        uuidv7(),
        organizationId,
        userId,
        roles,
      ]);
    });
    const token = `test-user-${randomBytes(16).toString('hex')}`;
    this.identities.set(token, { organizationId, userId });
    return { organizationId, userId, token };
  }
}

/** The user's membership, or the account itself, is no longer active. */
export async function deactivate(db: Database, user: UserIdentity, what: 'membership' | 'account'): Promise<void> {
  const statement =
    what === 'membership'
      ? `update org_memberships set status = 'deactivated', deactivated_at = now() where user_id = $1`
      : `update users set status = 'deactivated' where id = $1`;
  await db.withTenant(user.organizationId, (tx) => tx.query(statement, [user.userId]));
}
