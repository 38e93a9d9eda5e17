import { SandgateError } from '../../domain/errors.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import type { TenantTransaction } from '../record/database.js';
import { InvocationEntity } from './invocation.entity.js';
import type { Firing, FiringOutcome, SubscriptionRuns } from './subscription-runs.js';

/** The key under which something is started once. */
export interface InvocationClaim {
  key: string;
  /** Of what was asked for; null where the key says it all. */
  digest: string | null;
}

/** `replayed`: the key started that run before. */
export type ClaimedOutcome = FiringOutcome | { outcome: 'replayed'; runId: string };

/**
 * Starts a run of a subscription once for its key, and leaves its row in the history: of the run, or of the overlap for which it was
 * skipped. What is refused otherwise leaves neither.
 *
 * @throws SandgateError `conflict` for a key that was used with something else or whose invocation was skipped, and whatever refuses
 * the run
 */
export async function startClaimed(
  tx: TenantTransaction,
  runs: SubscriptionRuns,
  firing: Firing,
  claim: InvocationClaim,
): Promise<ClaimedOutcome> {
  const id = newRowId();
  const earlier = await claimInvocation(tx, { id, firing, claim });
  if (earlier !== null) return { outcome: 'replayed', runId: earlier };
  const outcome = await runs.start(tx, firing);
  if (outcome.outcome === 'overlap')
    await tx.manager.update(InvocationEntity, { id }, { session_id: null, skip_reason: SKIP_REASONS.overlap });
  return outcome;
}

/** The run that the key started before; null when the claim is ours. */
async function claimInvocation(
  tx: TenantTransaction,
  { id, firing, claim }: { id: string; firing: Firing; claim: InvocationClaim },
): Promise<string | null> {
  const { organizationId } = tx;
  const [held] = await tx.query<{
    claimed: boolean;
    session_id: string | null;
    skip_reason: string | null;
    request_digest: string | null;
  }>('select * from svc_claim_invocation($1, $2, $3, $4, $5, $6)', [
    ...[organizationId, firing.subscription.id, id, claim.key, claim.digest, firing.runId],
  ]);
  if (held === undefined) throw new Error('a claim was neither made nor found');
  if (held.claimed) return null;
  if (held.session_id === null)
    throw conflict(`the invocation of this key was skipped (${held.skip_reason ?? 'unbound'}); use another key`);
  if (held.request_digest !== claim.digest) throw conflict('was used with another body');
  return held.session_id;
}

function conflict(reason: string): SandgateError {
  return new SandgateError('conflict', `Idempotency-Key: ${reason}`);
}
