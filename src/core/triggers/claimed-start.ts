import { SandgateError } from '../../domain/errors.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { insertUnlessThere } from '../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../record/database.js';
import { InvocationEntity } from './invocation.entity.js';
import type { Firing, FiringOutcome, SubscriptionRuns } from './subscription-runs.js';

/** The key under which something is started once. */
export interface InvocationClaim {
  key: string;
  /** Of what was asked for; null where the key says it all. */
  digest: string | null;
}

/** `repeated`: the key was claimed before, and what came of it stands. */
export type ClaimedOutcome = FiringOutcome | { outcome: 'repeated' };

/**
 * Starts a run of a subscription once for its key, and leaves its row in the history: of the run, or of the overlap for which it was
 * skipped. What is refused leaves neither.
 *
 * @throws SandgateError as {@link SubscriptionRuns.start}
 */
export async function startClaimed(
  tx: TenantTransaction,
  runs: Pick<SubscriptionRuns, 'start'>,
  firing: Firing,
  claim: InvocationClaim,
): Promise<ClaimedOutcome> {
  const row = await recordInvocation(tx, firing.subscription.id, claim, { session_id: firing.runId });
  if (row === null) return { outcome: 'repeated' };
  const outcome = await runs.start(tx, firing);
  if (outcome.outcome === 'overlap')
    await tx.manager.update(InvocationEntity, { id: row.id }, { session_id: null, skip_reason: SKIP_REASONS.overlap });
  return outcome;
}

/** Whoever comes second with a key waits for the first one's commit. @returns null when the key was claimed before */
export function recordInvocation(
  tx: TenantTransaction,
  subscriptionId: string,
  { key, digest }: InvocationClaim,
  came: Pick<Partial<InvocationEntity>, 'session_id' | 'skip_reason'>,
): Promise<InvocationEntity | null> {
  return insertUnlessThere(tx, InvocationEntity, {
    id: newRowId(),
    tenant_id: tx.organizationId,
    subscription_id: subscriptionId,
    idempotency_key: key,
    request_digest: digest,
    ...came,
  });
}

/**
 * The run that a repeated key started.
 *
 * @throws SandgateError `conflict` for a key that was used with something else, or whose invocation was skipped
 */
export async function runOfKey(tx: TenantTransaction, subscriptionId: string, claim: InvocationClaim): Promise<string> {
  const of = { subscription_id: subscriptionId, idempotency_key: claim.key };
  const row = await tx.manager.findOneByOrFail(InvocationEntity, of);
  if (row.session_id === null)
    throw conflict(`the invocation of this key was skipped (${row.skip_reason ?? 'unbound'}); use another key`);
  if (row.request_digest !== claim.digest) throw conflict('was used with another body');
  return row.session_id;
}

function conflict(reason: string): SandgateError {
  return new SandgateError('conflict', `Idempotency-Key: ${reason}`);
}
