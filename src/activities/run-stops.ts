import { budgetEventData } from '../domain/budgets/budget-state.js';
import type { NewEvent } from '../domain/events/event-kinds.js';
import type { Database, TenantTransaction } from '../core/record/database.js';
import { recordFailure } from '../core/finalization/failures.js';
import { recordIntent } from '../core/finalization/intents.js';
import { lockRun } from '../core/runs/run-moves.js';
import type { DriverStop, RunRef } from './run-activities.js';

/** What ends a run here and not at the gate. */
export interface RunStopDependencies {
  database: Database;
  capacity: { queueTtlSecs: number };
  quiesceSecs: number;
}

/** The sentences of a stop that the driver decided (chapter 10 §2, `status_reason`). */
const FAILURES: Record<Exclude<DriverStop['code'], 'wall_clock' | 'queue_ttl'>, string> = {
  launch_deadline: 'stalled before launch: the sandbox did not start in time',
  sandbox_exited: 'sandbox died (stale heartbeat): it ended before the run reported a result',
  host_lost: 'the sandbox host went away and did not come back in time',
  intent_lost: 'the run was winding down without a recorded intent',
};

/** Records why the driver ends a run; an earlier intent wins. */
export async function stopRun(on: RunStopDependencies, run: RunRef, stop: DriverStop): Promise<void> {
  switch (stop.code) {
    case 'queue_ttl':
      return on.database.withTenant(run.organizationId, (tx) =>
        expireInQueue(tx, run.sessionId, on.capacity.queueTtlSecs),
      );
    case 'wall_clock':
      return on.database.withTenant(run.organizationId, (tx) => stopByWallClock(tx, run.sessionId, on.quiesceSecs));
    default:
      await recordFailure(on.database, run, FAILURES[stop.code]);
  }
}

/** A run that was given its place at this very moment is not expired. */
async function expireInQueue(tx: TenantTransaction, sessionId: string, queueTtlSecs: number): Promise<void> {
  if ((await lockRun(tx, sessionId)) !== 'queued') return;
  const [row] = await tx.query<{ capacity_held: boolean }>('select capacity_held from sessions where id = $1', [
    sessionId,
  ]);
  if (row?.capacity_held !== false) return;
  const reason = `queue_ttl_expired: no place became free within ${queueTtlSecs} s`;
  const error: NewEvent = { actor: 'system', type: 'run.error', data: { message: reason } };
  await recordIntent(tx, sessionId, { outcome: 'failed', reason, wantsQuiesce: false }, [error]);
}

async function stopByWallClock(tx: TenantTransaction, sessionId: string, quiesceSecs: number): Promise<void> {
  const intent = { outcome: 'budget_exceeded', reason: 'wall-clock budget exceeded', wantsQuiesce: true, quiesceSecs };
  await recordIntent(tx, sessionId, intent, await wallClockEvent(tx, sessionId, 'budget.exceeded'));
}

/** Writes `budget.warning` for the wall clock once, to a run that is still under way (06-gate §7). */
export async function warnWallClock(tx: TenantTransaction, sessionId: string): Promise<void> {
  const status = await lockRun(tx, sessionId);
  if (status !== 'running' && status !== 'awaiting_approval') return;
  const warned = await tx.query(
    'update session_heads set wall_clock_warned = true where session_id = $1 and not wall_clock_warned returning 1',
    [sessionId],
  );
  if (warned.length > 0) await tx.append(sessionId, await wallClockEvent(tx, sessionId, 'budget.warning'));
}

async function wallClockEvent(
  tx: TenantTransaction,
  sessionId: string,
  type: 'budget.warning' | 'budget.exceeded',
): Promise<NewEvent[]> {
  const rows = await tx.query<{ cap: number; secs: number }>(
    `select (run_spec->'budgets'->>'max_wall_clock_secs')::float8 as cap,
            floor(extract(epoch from clock_timestamp() - started_at))::float8 as secs
       from sessions where id = $1`,
    [sessionId],
  );
  return rows.map(({ cap, secs }): NewEvent => {
    const data = budgetEventData('max_wall_clock_secs', cap, secs);
    return type === 'budget.warning' ? { actor: 'system', type, data } : { actor: 'system', type, data };
  });
}
