import { SandgateError } from '../../domain/errors.js';
import type { TenantTransaction } from '../record/database.js';
import { claimKey } from './idempotency-keys.js';

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
  claim: { key: string; bodyDigest: string; runId: string },
): Promise<string | null> {
  const held = await claimKey(tx, { scope: SCOPE, ...claim });
  if (held === null) throw new SandgateError('unavailable', 'the Idempotency-Key was released meanwhile; try again');
  if (held.claimed) return null;
  if (held.bodyDigest !== claim.bodyDigest) {
    throw new SandgateError('conflict', 'Idempotency-Key: was used with another body');
  }
  return held.runId;
}
