import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { redactText } from '../../domain/redaction/redact-text.js';
import { isTerminal, TERMINAL_STATUSES, type RunOutcome } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';
import { lockRun } from '../runs/run-moves.js';

/** How long a runner may take to stop before it is killed (docs/design/runs.md). */
export const QUIESCE_SECS = 30;

export interface NewIntent {
  /** Any text but the four outcomes ends the run as `failed`. */
  outcome: string;
  /** The outcome as it was reported, kept for run.result; `outcome` when absent. */
  postedOutcome?: string;
  /** The run's own summary; secrets are replaced before it is stored. */
  summary?: string | null;
  reason: string | null;
  wantsQuiesce: boolean;
  quiesceSecs?: number;
}

/** The finalization request of a run: one row, the first writer wins, deleted when cleanup is complete. */
export interface FinalizationIntent {
  session_id: string;
  outcome: RunOutcome;
  posted_outcome: string;
  summary: string | null;
  reason: string | null;
  needs_quiesce: boolean;
  quiesce_deadline: Date | null;
  claimed_at: Date | null;
  attempts: number;
  created_at: Date;
}

/**
 * Records why and how a run ends, under its head and session rows, and wakes its workflow.
 *
 * @param first events that the winner appends in the same transaction (budget.exceeded, run.error)
 * @returns `already`: an earlier request stands and this one is discarded; `terminal`: the run is over
 * @throws SandgateError `not_found`
 */
export async function recordIntent(
  tx: TenantTransaction,
  sessionId: string,
  intent: NewIntent,
  first: NewEvent[] = [],
): Promise<'recorded' | 'already' | 'terminal'> {
  const status = await lockRun(tx, sessionId);
  if (status === null) throw new SandgateError('not_found', 'no such run');
  if (isTerminal(status)) return 'terminal';
  const inserted = await tx.query(
    `insert into session_finalizations (session_id, tenant_id, outcome, posted_outcome, summary, reason, needs_quiesce, quiesce_deadline)
     select s.id, s.tenant_id, $2, $3, $4, $5, quiesce.needed,
            case when quiesce.needed then clock_timestamp() + make_interval(secs => $7) end
     from sessions s,
     lateral (select $6 and s.status in ('running', 'awaiting_approval') and s.sandbox_handle is not null as needed) quiesce
     where s.id = $1
     on conflict (session_id) do nothing returning session_id`,
    [
      sessionId,
      toOutcome(intent.outcome),
      intent.postedOutcome ?? intent.outcome,
      intent.summary == null ? null : redactText(intent.summary),
      intent.reason,
      intent.wantsQuiesce,
      intent.quiesceSecs ?? QUIESCE_SECS,
    ],
  );
  if (inserted.length === 0) return 'already';
  await tx.append(sessionId, first);
  await tx.enqueue(sessionId, 'intent');
  tx.wake(sessionId, 'approval');
  return 'recorded';
}

function toOutcome(posted: string): RunOutcome {
  return (TERMINAL_STATUSES as readonly string[]).includes(posted) ? (posted as RunOutcome) : 'failed';
}

export async function readIntent(tx: TenantTransaction, sessionId: string): Promise<FinalizationIntent | null> {
  const [row] = await tx.query<FinalizationIntent>(
    `select session_id, outcome, posted_outcome, summary, reason, needs_quiesce, quiesce_deadline, claimed_at, attempts, created_at
     from session_finalizations where session_id = $1`,
    [sessionId],
  );
  return row ?? null;
}

export async function hasIntent(tx: TenantTransaction, sessionId: string): Promise<boolean> {
  const intents = await tx.query('select 1 from session_finalizations where session_id = $1', [sessionId]);
  return intents.length > 0;
}

/** Deletes the request, which causes retries until then: only after all cleanup succeeded. */
export async function deleteIntent(tx: TenantTransaction, sessionId: string): Promise<void> {
  await tx.query('delete from session_finalizations where session_id = $1', [sessionId]);
}
