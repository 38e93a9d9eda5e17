import { hash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { TestApi } from '../api/api.js';
import type { TestUser } from '../api/users.js';

/** Says of a member that a provider vouched for them. */
export async function vouchFor({ database }: TestApi, user: TestUser, configId: string): Promise<void> {
  await database.owner.query('update users set idp_config_id = $2, subject = $3 where id = $1', [
    user.userId,
    configId,
    `sub-${user.userId}`,
  ]);
}

/** A login under way at a provider, and one that waits for its person to confirm a switch away from a session. */
export async function beginLogins(
  { database }: TestApi,
  { organizationId, userId, membershipId }: TestUser,
  at: { configId: string; sessionId: string },
): Promise<{ flowId: string; switchId: string }> {
  const [flowId, switchId] = [uuidv7(), uuidv7()];
  const digest = hash('sha256', randomBytes(8).toString('hex'), 'hex');
  await database.owner.query(
    `insert into login_flows (id, tenant_id, idp_config_id, pkce_verifier_sealed, pkce_verifier_key_version, nonce, browser_hash,
        redirect_to, expires_at)
      values ($1, $2, $3, '\\x00', 2, 'n', $4, '/', now() + interval '10 minutes')`,
    [flowId, organizationId, at.configId, digest],
  );
  await database.owner.query(
    `insert into pending_login_switches (id, tenant_id, idp_config_id, new_membership_id, new_user_id, replaced_tenant_id,
        replaced_session_id, redirect_to, browser_hash, expires_at)
      values ($1, $2, $3, $4, $5, $2, $6, '/', $7, now() + interval '2 minutes')`,
    [switchId, organizationId, at.configId, membershipId, userId, at.sessionId, digest],
  );
  return { flowId, switchId };
}
