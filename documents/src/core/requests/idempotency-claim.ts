import { AsyncLocalStorage } from 'node:async_hooks';
import { DocsvcError } from '../../domain/errors.js';
import type { RecordTransaction } from '../record/record.js';

/** The right to carry out the one request that a key stands for. */
export interface IdempotencyClaim {
  clientId: string;
  key: string;
  claim: string;
}

const CLAIMS = new AsyncLocalStorage<IdempotencyClaim>();

/** Runs what answers a request with a key, so that {@link commitClaim} finds the claim in its transactions. */
export function withClaim<T>(claim: IdempotencyClaim, work: () => T): T {
  return CLAIMS.run(claim, work);
}

/**
 * Ties a change to the key of its request, in the transaction that makes it: a key whose change was committed is never carried out
 * again, and one whose claim went to another request commits nothing.
 *
 * @throws DocsvcError `conflict` when the claim was lost
 */
export async function commitClaim(tx: RecordTransaction): Promise<void> {
  const claim = CLAIMS.getStore();
  if (claim === undefined) return;
  const [row] = await tx.query<{ held: boolean }>('select docsvc_commit_idempotency_key($1, $2, $3) as held', [
    claim.clientId,
    claim.key,
    claim.claim,
  ]);
  if (row?.held === true) return;
  throw new DocsvcError(
    'conflict',
    'Idempotency-Key: this request took too long, and another one with its key goes on',
  );
}
