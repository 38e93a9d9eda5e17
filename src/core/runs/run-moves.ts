import type { NewEvent } from '../../domain/events/event-kinds.js';
import { canMove, isSilentMove, parseRunStatus, type RunStatus } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';

/**
 * Moves a run by compare-and-swap under its head and session rows, and appends session.status_changed unless the move is a
 * silent one (docs/design/runs.md). Sets queued_at, started_at and finished_at; a run that is queued belongs to no host; a terminal
 * move revokes the run's tokens.
 *
 * @param from the statuses to move from; any other status, or a move that is not allowed, changes nothing
 * @param reason becomes `status_reason`, null included
 * @param also events of the same transaction, behind the status change
 * @returns whether this call moved it
 */
export async function moveRun(
  tx: TenantTransaction,
  runId: string,
  from: RunStatus | readonly RunStatus[],
  to: RunStatus,
  reason: string | null,
  also: NewEvent[] = [],
): Promise<boolean> {
  const status = await lockRun(tx, runId);
  const expected: readonly RunStatus[] = typeof from === 'string' ? [from] : from;
  if (status === null || !expected.includes(status) || !canMove(status, to)) return false;
  const [times] = await tx.query<{ waited: number; ran: number | null }>('select * from svc_move_run($1, $2, $3)', [
    runId,
    to,
    reason,
  ]);
  const change: NewEvent = { actor: 'system', type: 'session.status_changed', data: { from: status, to, reason } };
  await tx.append(runId, isSilentMove(status, to) ? also : [change, ...also]);
  // Whoever waits for an approval of this run looks again: it may have stopped accepting work.
  tx.wake(runId, 'approval');
  const move = { runId, from: status, to, waitedSecs: times?.waited ?? 0, ranSecs: times?.ran ?? null };
  tx.tell((observer) => observer.moved(move));
  return true;
}

/**
 * Locks the run in the one order that everybody keeps: head row, then session row.
 *
 * @returns its status; null when the organization has no such run, or when the status is of a newer deployment
 */
export async function lockRun(tx: TenantTransaction, runId: string): Promise<RunStatus | null> {
  const [row] = await tx.query<{ status: string | null }>('select svc_lock_run($1) as status', [runId]);
  return parseRunStatus(row?.status ?? '') ?? null;
}
