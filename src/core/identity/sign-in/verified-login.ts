import type { MappedClaims } from '../../../domain/identity/claim-mapping.js';
import type { CheckedIdToken } from '../../../domain/identity/id-token.js';
import type { SealedPlace } from '../../../platform/seal/sealer.js';
import type { AuditActor } from '../audit-log.js';

/** Where a login comes from. */
export interface Visit {
  sourceIp: string | null;
  userAgent: string | null;
  requestId: string | null;
}

/** What a provider proved of a person. */
export interface VerifiedLogin {
  checked: CheckedIdToken;
  person: MappedClaims;
  idToken: string;
  redirectTo: string;
}

export function placeOfIdToken(organizationId: string, sessionId: string): SealedPlace {
  return { organizationId, column: 'user_sessions.id_token', row: sessionId };
}

export function actorOf(userId: string, { sourceIp, requestId }: Visit): AuditActor {
  return { kind: 'user', id: userId, sourceIp, requestId };
}
