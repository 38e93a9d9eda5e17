import { digestOf } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';
import { claimKey, keepResult } from './idempotency-keys.js';

/** How much a runner may tell of one run. */
export interface RunnerEventLimits {
  runnerEvents: number;
  ledgerBytes: number;
}

export type StoredRunnerEvent = { seq: number; full?: undefined } | { full: 'event_count' | 'ledger_size' };

/**
 * Appends a line of a runner's narrative; under a key that the run used before, it answers what was stored then.
 *
 * @throws SandgateError `conflict` for a key that was used with another event, `not_found`
 */
export async function storeRunnerEvent(
  tx: TenantTransaction,
  runId: string,
  { key, event }: { key: string | null; event: NewEvent },
  limits: RunnerEventLimits,
): Promise<StoredRunnerEvent> {
  const scope = `events:${runId}`;
  if (key !== null) {
    const digest = digestOf({ actor: event.actor, type: event.type, data: event.data });
    const earlier = await claimKey<{ seq: number }>(tx, { scope, key, of: 'event', digest, runId });
    if (earlier?.result != null) return earlier.result;
  }
  const full = await countEvent(tx, runId, limits);
  if (full !== null) return { full };
  const [seq] = await tx.append(runId, [event]);
  if (seq === undefined) throw new SandgateError('internal', 'internal error');
  if (key !== null) await keepResult(tx, { scope, key }, { seq });
  return { seq };
}

/** Counts one event against the totals of the run; the limit that it would exceed, or null. */
async function countEvent(
  tx: TenantTransaction,
  runId: string,
  { runnerEvents, ledgerBytes }: RunnerEventLimits,
): Promise<'event_count' | 'ledger_size' | null> {
  const [answer] = await tx.query<{ refused: 'event_count' | 'ledger_size' | 'no_run' | null }>(
    'select svc_count_runner_event($1, $2, $3) as refused',
    [runId, runnerEvents, ledgerBytes],
  );
  const refused = answer?.refused ?? null;
  if (refused === 'no_run') throw new SandgateError('not_found', 'not found');
  return refused;
}
