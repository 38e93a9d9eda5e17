import { SandgateError } from '../../domain/errors.js';
import { SKIP_REASONS } from '../../domain/triggers/subscription.js';
import { requestFinalization } from '../finalization/finalization-requests.js';
import type { TenantTransaction } from '../record/database.js';

/** A run of a subscription that is not over. */
export interface ActiveRun {
  id: string;
  /** Its end is recorded. */
  ending: boolean;
}

/** Oldest first, whatever started them. */
export async function listActiveRuns(tx: TenantTransaction, subscriptionId: string): Promise<ActiveRun[]> {
  const rows = await tx.query<{ session_id: string; ending: boolean }>('select * from svc_list_active_runs($1)', [
    subscriptionId,
  ]);
  return rows.map(({ session_id: id, ending }) => ({ id, ending }));
}

const REPLACED = {
  outcome: 'cancelled',
  reason: 'replaced by a newer invocation of this subscription',
  wantsQuiesce: true,
};

/**
 * Asks every run to stop, in the transaction that creates the one that takes its place: all of it is recorded, or nothing.
 *
 * @throws SandgateError `unavailable` beginning with `replace_cancel_unpersisted` when that cannot be recorded
 */
export async function cancelActiveRuns(tx: TenantTransaction, active: readonly ActiveRun[]): Promise<void> {
  for (const { id } of active.filter(({ ending }) => !ending)) {
    try {
      await requestFinalization(tx, id, REPLACED);
    } catch (cause) {
      throw new SandgateError(
        'unavailable',
        `${SKIP_REASONS.unpersisted}: run ${id} could not be asked to stop; nothing was started`,
        { cause, retryAfterSeconds: 2 },
      );
    }
  }
}
