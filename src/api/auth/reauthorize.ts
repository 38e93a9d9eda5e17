import { readLiveRoles } from '../../core/identity/members.js';
import type { TenantTransaction } from '../../core/record/database.js';
import { memberPrincipal, type Principal } from './principal.js';

/**
 * The caller of a request that lasts, with the rights of this moment: roles are read anew, and the credential must still live. Asking
 * does not count as a use of it. The operator is always the operator.
 *
 * @returns null for a person whose credential, membership, account or organization is over
 */
export async function reauthorize(tx: TenantTransaction, principal: Principal): Promise<Principal | null> {
  if (principal.kind === 'operator') return principal;
  const roles = await readLiveRoles(tx, principal);
  if (roles === null) return null;
  const { organizationId, userId, membershipId } = principal;
  const member = { organizationId, userId, membershipId, roles };
  return principal.authKind === 'browser'
    ? memberPrincipal(member, { authKind: 'browser', sessionId: principal.sessionId })
    : memberPrincipal(member, { authKind: 'pat', tokenId: principal.tokenId });
}
