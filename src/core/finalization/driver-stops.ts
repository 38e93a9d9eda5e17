import { budgetEventData } from '../../domain/budgets/budget-state.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';
import { changeRow } from '../../platform/postgres/write-rows.js';
import { SessionEntity, SessionHeadEntity } from '../runs/session.entity.js';
import { lockRun } from '../runs/run-moves.js';
import { requestFinalization } from './finalization-requests.js';

/** A run that has just been given its place is not expired. */
export async function expireInQueue(tx: TenantTransaction, runId: string, queueTtlSecs: number): Promise<void> {
  if ((await lockRun(tx, runId)) !== 'queued') return;
  const run = await tx.manager.findOne(SessionEntity, {
    select: { id: true, capacity_held: true },
    where: { id: runId },
  });
  if (run?.capacity_held !== false) return;
  const reason = `queue_ttl_expired: no place became free within ${queueTtlSecs} s`;
  const error: NewEvent = { actor: 'system', type: 'run.error', data: { message: reason } };
  await requestFinalization(tx, runId, { outcome: 'failed', reason, wantsQuiesce: false }, [error]);
}

/** Ends a run whose wall-clock budget is spent. */
export async function stopByWallClock(tx: TenantTransaction, runId: string, quiesceSecs: number): Promise<void> {
  const finalizationRequest = {
    outcome: 'budget_exceeded',
    reason: 'wall-clock budget exceeded',
    wantsQuiesce: true,
    quiesceSecs,
  };
  await requestFinalization(tx, runId, finalizationRequest, await wallClockEvent(tx, runId, 'budget.exceeded'));
}

/** Writes `budget.warning` for the wall clock once, to a run that is still under way (docs/design/budgets.md). */
export async function warnWallClock(tx: TenantTransaction, runId: string): Promise<void> {
  const status = await lockRun(tx, runId);
  if (status !== 'running' && status !== 'awaiting_approval') return;
  const unwarned = { session_id: runId, wall_clock_warned: false };
  if (await changeRow(tx, SessionHeadEntity, unwarned, { wall_clock_warned: true }))
    await tx.append(runId, await wallClockEvent(tx, runId, 'budget.warning'));
}

async function wallClockEvent(
  tx: TenantTransaction,
  runId: string,
  type: 'budget.warning' | 'budget.exceeded',
): Promise<NewEvent[]> {
  const rows = await tx.query<{ cap: number; secs: number }>('select * from svc_read_wall_clock($1)', [runId]);
  return rows.map(({ cap, secs }): NewEvent => {
    const data = budgetEventData('max_wall_clock_secs', cap, secs);
    return type === 'budget.warning' ? { actor: 'system', type, data } : { actor: 'system', type, data };
  });
}
