import type { JsonObject } from '../../domain/json.js';
import type { TenantTransaction } from '../record/database.js';

/** A key within the scope in which it names one thing. */
interface ScopedKey {
  scope: string;
  key: string;
}

/** Who holds a key: this claim, or an earlier one with what was answered to it. */
interface HeldKey<Result extends JsonObject> {
  claimed: boolean;
  bodyDigest: string;
  runId: string;
  result: Result | null;
}

/** Claims a key for a body, or says who holds it; null when its holder let it go in between. */
export async function claimKey<Result extends JsonObject>(
  tx: TenantTransaction,
  { scope, key, bodyDigest, runId }: ScopedKey & { bodyDigest: string; runId: string },
): Promise<HeldKey<Result> | null> {
  const [row] = await tx.query<{ claimed: boolean; body_digest: string; session_id: string; result: Result | null }>(
    'select * from svc_claim_key($1, $2, $3, $4, $5)',
    [tx.organizationId, scope, key, bodyDigest, runId],
  );
  if (row === undefined) return null;
  return { claimed: row.claimed, bodyDigest: row.body_digest, runId: row.session_id, result: row.result };
}

/** What whoever comes with the same key and body is answered. */
export async function keepResult(tx: TenantTransaction, { scope, key }: ScopedKey, result: JsonObject): Promise<void> {
  await tx.query('select svc_keep_key_result($1, $2, $3, $4::jsonb)', [
    tx.organizationId,
    scope,
    key,
    JSON.stringify(result),
  ]);
}
