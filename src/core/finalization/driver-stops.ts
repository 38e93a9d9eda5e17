import { budgetEventData } from '../../domain/budgets/budget-state.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';
import { lockRun } from '../runs/run-moves.js';
import { recordIntent } from './intents.js';

/** A run that has just been given its place is not expired. */
export async function expireInQueue(tx: TenantTransaction, sessionId: string, queueTtlSecs: number): Promise<void> {
  if ((await lockRun(tx, sessionId)) !== 'queued') return;
  const [row] = await tx.query<{ capacity_held: boolean }>('select capacity_held from sessions where id = $1', [
    sessionId,
  ]);
  if (row?.capacity_held !== false) return;
  const reason = `queue_ttl_expired: no place became free within ${queueTtlSecs} s`;
  const error: NewEvent = { actor: 'system', type: 'run.error', data: { message: reason } };
  await recordIntent(tx, sessionId, { outcome: 'failed', reason, wantsQuiesce: false }, [error]);
}

/** Ends a run whose wall-clock budget is spent. */
export async function stopByWallClock(tx: TenantTransaction, sessionId: string, quiesceSecs: number): Promise<void> {
  const intent = { outcome: 'budget_exceeded', reason: 'wall-clock budget exceeded', wantsQuiesce: true, quiesceSecs };
  await recordIntent(tx, sessionId, intent, await wallClockEvent(tx, sessionId, 'budget.exceeded'));
}

/** Writes `budget.warning` for the wall clock once, to a run that is still under way (docs/design/budgets.md). */
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
