import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { redactText } from '../../domain/redaction/redact-text.js';
import { isTerminal, TERMINAL_STATUSES, type RunOutcome } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';
import { IntentEntity } from './intent.entity.js';
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
  const [answer] = await tx.query<{ recorded: boolean }>(
    'select svc_record_intent($1, $2, $3, $4, $5, $6, $7) as recorded',
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
  if (answer?.recorded !== true) return 'already';
  await tx.append(sessionId, first);
  await tx.enqueue(sessionId, 'intent');
  tx.wake(sessionId, 'approval');
  return 'recorded';
}

function toOutcome(posted: string): RunOutcome {
  return (TERMINAL_STATUSES as readonly string[]).includes(posted) ? (posted as RunOutcome) : 'failed';
}

export function readIntent(tx: TenantTransaction, sessionId: string): Promise<IntentEntity | null> {
  return tx.manager.findOneBy(IntentEntity, { session_id: sessionId });
}

export function hasIntent(tx: TenantTransaction, sessionId: string): Promise<boolean> {
  return tx.manager.existsBy(IntentEntity, { session_id: sessionId });
}

/** Deletes the request, which causes retries until then: only after all cleanup succeeded. */
export async function deleteIntent(tx: TenantTransaction, sessionId: string): Promise<void> {
  await tx.manager.delete(IntentEntity, { session_id: sessionId });
}
