import { SandgateError, type ErrorCode } from '../../domain/errors.js';
import type { JsonObject } from '../../domain/json.js';
import type { TenantTransaction } from '../record/database.js';

const MAX_KEY = 200;

type Refusal = readonly [code: ErrorCode, message: string];

const ANOTHER_EVENT: Refusal = ['conflict', 'Idempotency-Key: used before with another event'];

/** What a claim is told when something else holds the key, and when its holder let it go while we looked. */
const REFUSALS: Record<'body' | 'event', { held: Refusal; released: Refusal }> = {
  body: {
    held: ['conflict', 'Idempotency-Key: was used with another body'],
    released: ['unavailable', 'the Idempotency-Key was released meanwhile; try again'],
  },
  // Of a run's own events, one whose key was let go is too old to be stored again.
  event: { held: ANOTHER_EVENT, released: ANOTHER_EVENT },
};

/** A key within the scope in which it names one thing. */
interface ScopedKey {
  scope: string;
  key: string;
}

interface KeyClaim extends ScopedKey {
  /** What the key is used with. */
  of: keyof typeof REFUSALS;
  digest: string;
  runId: string;
}

/** What the same content led to under the key before. */
interface EarlierUse<Result extends JsonObject> {
  runId: string;
  result: Result | null;
}

/** Header `Idempotency-Key`; undefined when absent. */
export function parseIdempotencyKey(raw: string | string[] | undefined): string | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw !== 'string' || raw.length < 1 || raw.length > MAX_KEY) {
    throw new SandgateError('invalid_request', `Idempotency-Key: must be 1 to ${MAX_KEY} characters`);
  }
  return raw;
}

/**
 * Claims a key in the transaction that does what it names: what is refused leaves no claim, and a second request with the key waits for
 * the first one's commit.
 *
 * @returns what was done before under the key, or null when the claim is ours
 * @throws SandgateError `conflict` when the key was used with something else; when it was released meanwhile, `unavailable` for a
 * body and `conflict` for an event
 */
export async function claimKey<Result extends JsonObject>(
  tx: TenantTransaction,
  { scope, key, of, digest, runId }: KeyClaim,
): Promise<EarlierUse<Result> | null> {
  const [held] = await tx.query<{ claimed: boolean; body_digest: string; session_id: string; result: Result | null }>(
    'select * from svc_claim_key($1, $2, $3, $4, $5)',
    [tx.organizationId, scope, key, digest, runId],
  );
  if (held === undefined) throw new SandgateError(...REFUSALS[of].released);
  if (held.claimed) return null;
  if (held.body_digest !== digest) throw new SandgateError(...REFUSALS[of].held);
  return { runId: held.session_id, result: held.result };
}

/** What whoever comes with the same key and content is answered. */
export async function keepResult(tx: TenantTransaction, { scope, key }: ScopedKey, result: JsonObject): Promise<void> {
  await tx.query('select svc_keep_key_result($1, $2, $3, $4::jsonb)', [
    tx.organizationId,
    scope,
    key,
    JSON.stringify(result),
  ]);
}
