import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';

const SCOPE = 'sessions';
const MAX_KEY = 200;

/** Header `Idempotency-Key`; undefined when absent. */
export function parseIdempotencyKey(raw: string | string[] | undefined): string | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string' || raw.length < 1 || raw.length > MAX_KEY) {
    throw new SandgateError('invalid_request', `Idempotency-Key: must be 1 to ${MAX_KEY} characters`);
  }
  return raw;
}

/**
 * Claims the key for a new run, in the transaction that makes the run: a refused creation leaves no claim, and a second
 * request with the key waits for the first one's commit.
 * @returns the run that the same body made before, or null when the claim is ours
 * @throws SandgateError `conflict` when another body holds the key
 */
export async function claimIdempotencyKey(
  tx: TenantTransaction,
  claim: { key: string; bodyDigest: string; sessionId: string },
): Promise<string | null> {
  const inserted = await tx.query<{ key: string }>(
    `insert into idempotency_keys (tenant_id, scope, key, body_digest, session_id) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning key`,
    [tx.organizationId, SCOPE, claim.key, claim.bodyDigest, claim.sessionId],
  );
  if (inserted.length > 0) return null;
  const [held] = await tx.query<{ body_digest: string; session_id: string }>(
    'select body_digest, session_id from idempotency_keys where scope = $1 and key = $2',
    [SCOPE, claim.key],
  );
  if (held === undefined)
    throw new SandgateError('unavailable', 'the Idempotency-Key was released meanwhile; try again');
  if (held.body_digest !== claim.bodyDigest) {
    throw new SandgateError('conflict', 'Idempotency-Key: was used with another body');
  }
  return held.session_id;
}
