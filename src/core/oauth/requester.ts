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

/** Why a browser may not go on with a flow that somebody started. */
export type VisitorProblem = 'signed_out' | 'other_person';

/**
 * Whether the browser is that of whoever started the flow: a link can be handed on, and then somebody else would connect an account of
 * theirs to what the other one's runs may do. In multi-user mode a person shows it by their browser session; where sessions are not
 * required, one that is there must still be theirs. The operator has none.
 *
 * @param visitorId the user whose live session the browser has; null without one
 */
export function visitorProblem(
  { initiated_by_user_id: userId }: Pick<OAuthFlow, 'initiated_by_user_id'>,
  visitorId: string | null,
  requireSession: boolean,
): VisitorProblem | null {
  if (userId === null || visitorId === userId) return null;
  if (visitorId !== null) return 'other_person';
  return requireSession ? 'signed_out' : null;
}
