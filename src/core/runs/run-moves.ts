import type { NewEvent } from '../../domain/events/event-kinds.js';
import { canMove, isSilentMove, isTerminal, parseRunStatus, type RunStatus } from '../../domain/run/status.js';
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
  sessionId: string,
  from: RunStatus | readonly RunStatus[],
  to: RunStatus,
  reason: string | null,
  also: NewEvent[] = [],
): Promise<boolean> {
  const status = await lockRun(tx, sessionId);
  const expected: readonly RunStatus[] = typeof from === 'string' ? [from] : from;
  if (status === null || !expected.includes(status) || !canMove(status, to)) return false;
  const [times] = await tx.query<{ waited: number; ran: number | null }>(
    `update sessions set status = $2, status_reason = $3, updated_at = clock_timestamp(),
       queued_at = case when $2 = 'queued' then clock_timestamp() else queued_at end,
       host_id = case when $2 = 'queued' then null else host_id end,
       started_at = case when $2 = 'running' then coalesce(started_at, clock_timestamp()) else started_at end,
       finished_at = case when $4 then clock_timestamp() else finished_at end
     where id = $1
     returning extract(epoch from clock_timestamp() - coalesce(queued_at, created_at))::float8 as waited,
               extract(epoch from clock_timestamp() - started_at)::float8 as ran`,
    [sessionId, to, reason, isTerminal(to)],
  );
  if (isTerminal(to)) await revokeRunTokens(tx, sessionId);
  const change: NewEvent = { actor: 'system', type: 'session.status_changed', data: { from: status, to, reason } };
  await tx.append(sessionId, isSilentMove(status, to) ? also : [change, ...also]);
  // Whoever waits for an approval of this run looks again: it may have stopped accepting work.
  tx.wake(sessionId, 'approval');
  const move = { sessionId, from: status, to, waitedSecs: times?.waited ?? 0, ranSecs: times?.ran ?? null };
  tx.tell((observer) => observer.moved(move));
  return true;
}

/**
 * Locks the run in the one order that everybody keeps: head row, then session row.
 *
 * @returns its status; null when the organization has no such run, or when the status is of a newer deployment
 */
export async function lockRun(tx: TenantTransaction, sessionId: string): Promise<RunStatus | null> {
  await tx.query('select 1 from session_heads where session_id = $1 for no key update', [sessionId]);
  const [row] = await tx.query<{ status: string }>('select status from sessions where id = $1 for no key update', [
    sessionId,
  ]);
  return row === undefined ? null : (parseRunStatus(row.status) ?? null);
}

async function revokeRunTokens(tx: TenantTransaction, sessionId: string): Promise<void> {
  await tx.query('update api_tokens set revoked_at = clock_timestamp() where session_id = $1 and revoked_at is null', [
    sessionId,
  ]);
}
