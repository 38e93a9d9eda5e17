import type { TenantTransaction } from '../record/database.js';
import { managesOrganization } from '../connections/viewer.js';
import { readActiveMember } from '../identity/members.js';
import type { OAuthFlow } from './flow-records.js';
import type { OAuthConnectionRow } from './oauth-connections.js';

/**
 * Whether whoever started a flow may still change the connection that it is for: a link may outlive their membership or role, and
 * without these they must not connect the organization to an account of their own. The operator has no membership to lose.
 */
export async function requesterMayConnect(
  tx: TenantTransaction,
  { initiated_by_user_id: userId }: Pick<OAuthFlow, 'initiated_by_user_id'>,
  { personal }: Pick<OAuthConnectionRow, 'personal'>,
): Promise<boolean> {
  if (userId === null) return true;
  const member = await readActiveMember(tx, userId);
  return member !== null && (personal || managesOrganization(member));
}
