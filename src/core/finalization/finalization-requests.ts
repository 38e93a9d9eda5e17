import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import { redactText } from '../../domain/redaction/redact-text.js';
import { isTerminal, TERMINAL_STATUSES, type RunOutcome } from '../../domain/run/status.js';
import type { TenantTransaction } from '../record/database.js';
import { FinalizationRequestEntity } from './finalization-request.entity.js';
import { lockRun } from '../runs/run-moves.js';

/** How long a runner may take to stop before it is killed (docs/design/runs.md). */
export const QUIESCE_SECS = 30;

export interface NewFinalizationRequest {
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
export async function requestFinalization(
  tx: TenantTransaction,
  runId: string,
  finalizationRequest: NewFinalizationRequest,
  first: NewEvent[] = [],
): Promise<'recorded' | 'already' | 'terminal'> {
  const status = await lockRun(tx, runId);
  if (status === null) throw new SandgateError('not_found', 'no such run');
  if (isTerminal(status)) return 'terminal';
  const [answer] = await tx.query<{ recorded: boolean }>(
    'select svc_request_finalization($1, $2, $3, $4, $5, $6, $7) as recorded',
    [
      runId,
      toOutcome(finalizationRequest.outcome),
      finalizationRequest.postedOutcome ?? finalizationRequest.outcome,
      finalizationRequest.summary == null ? null : redactText(finalizationRequest.summary),
      finalizationRequest.reason,
      finalizationRequest.wantsQuiesce,
      finalizationRequest.quiesceSecs ?? QUIESCE_SECS,
    ],
  );
  if (answer?.recorded !== true) return 'already';
  await tx.append(runId, first);
  await tx.enqueue(runId, 'finalization_requested');
  tx.wake(runId, 'approval');
  return 'recorded';
}

function toOutcome(posted: string): RunOutcome {
  return (TERMINAL_STATUSES as readonly string[]).includes(posted) ? (posted as RunOutcome) : 'failed';
}

export function readFinalizationRequest(
  tx: TenantTransaction,
  runId: string,
): Promise<FinalizationRequestEntity | null> {
  return tx.manager.findOneBy(FinalizationRequestEntity, { session_id: runId });
}

export function hasFinalizationRequest(tx: TenantTransaction, runId: string): Promise<boolean> {
  return tx.manager.existsBy(FinalizationRequestEntity, { session_id: runId });
}

/** Deletes the request, which causes retries until then: only after all cleanup succeeded. */
export async function deleteFinalizationRequest(tx: TenantTransaction, runId: string): Promise<void> {
  await tx.manager.delete(FinalizationRequestEntity, { session_id: runId });
}
