import { AsyncLocalStorage } from 'node:async_hooks';
import { DocsvcError } from '../../domain/errors.js';
import type { RecordTransaction } from '../record/record.js';

/** The right to carry out the one request that a key stands for. */
export interface IdempotencyClaim {
  clientId: string;
  key: string;
  claim: string;
}

/** A request with a key, while it is carried out. */
interface ClaimedRequest {
  claim: IdempotencyClaim;
  /** Keeps the request's answer, with this body, in a transaction. */
  keepIn(tx: RecordTransaction, body: object): Promise<void>;
}

const REQUESTS = new AsyncLocalStorage<ClaimedRequest>();

/** Runs what answers a request with a key, so that {@link commitClaim} and {@link keepAnswer} find it in their transactions. */
export function withClaim<T>(request: ClaimedRequest, work: () => T): T {
  return REQUESTS.run(request, work);
}

/**
 * Keeps the answer of a request with a key in the transaction that makes the change, so that no death in between can lose it. For requests
 * after whose loss a client could not go on.
 */
export async function keepAnswer(tx: RecordTransaction, body: object): Promise<void> {
  await REQUESTS.getStore()?.keepIn(tx, body);
}

/**
 * Ties a change to the key of its request, in the transaction that makes it: a key whose change was committed is never carried out
 * again, and one whose claim went to another request commits nothing.
 *
 * @throws DocsvcError `conflict` when the claim was lost
 */
export async function commitClaim(tx: RecordTransaction): Promise<void> {
  const claim = REQUESTS.getStore()?.claim;
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
