import { SandgateError } from '../../domain/errors.js';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';
import { decisionEvent } from '../gate/gate-call.js';
import { bodyArguments } from '../ledger/append-events.js';
import { runAwaitsAnswers } from '../runs/run-status.js';
import { ApprovalEntity } from './approval.entity.js';

export type ApprovalDecision = 'approved_once' | 'approved_session' | 'denied';

export interface DecisionResult {
  approval: ApprovalEntity;
  /** Whether this call settled it; false when a person or its expiry had settled it before (see the row). */
  won: boolean;
  /** `approved_session` was asked for on a call without scope keys and recorded as `approved_once` (docs/design/gate.md). */
  narrowed: boolean;
}

/** @throws SandgateError `not_found` */
export async function readApproval(tx: TenantTransaction, approvalId: string): Promise<ApprovalEntity> {
  const row = await tx.manager.findOneBy(ApprovalEntity, { id: approvalId });
  if (row === null) throw new SandgateError('not_found', 'no such approval');
  return row;
}

/**
 * Settles a pending approval by compare-and-swap and appends approval.decided and tool.decision in the same transaction
 * (CP-144, CP-145). Past its deadline by the database's clock it becomes `expired` instead. A late decision changes nothing
 * and gets the settled row. An approval of a call whose run has ended releases nothing, and says so (CP-149).
 *
 * @param decidedBy `operator` or a user id; never from a request body
 * @throws SandgateError `not_found`
 */
export async function decideApproval(
  tx: TenantTransaction,
  input: { approvalId: string; decision: ApprovalDecision; decidedBy: string },
): Promise<DecisionResult> {
  const asked = await readApproval(tx, input.approvalId);
  const keyless = asked.scope_keys === null || asked.scope_keys.length === 0;
  const narrowed = input.decision === 'approved_session' && keyless;
  const decision = narrowed ? 'approved_once' : input.decision;
  const won = asked.status === 'pending' && (await settle(tx, asked, decision, input.decidedBy, false));
  if (!won && asked.status === 'pending') await settle(tx, asked, 'expired', 'timeout', false);
  // Waiting callers were answered when the run ended, so only this place can still record the refusal.
  const refused = won && decision !== 'denied' && !(await runAwaitsAnswers(tx, asked.session_id));
  if (refused) await recordSessionTerminal(tx, asked.id);
  return { approval: await readApproval(tx, input.approvalId), won, narrowed: won && narrowed };
}

/**
 * Records, once for all who waited and whoever decided, that an approved call was refused because its run had stopped (CP-149).
 *
 * @returns whether this call recorded it
 */
export async function recordSessionTerminal(tx: TenantTransaction, approvalId: string): Promise<boolean> {
  const row = await readApproval(tx, approvalId);
  const [answer] = await tx.query<{ marked: boolean }>('select svc_mark_session_terminal($1, $2) as marked', [
    row.session_id,
    approvalId,
  ]);
  if (answer?.marked !== true) return false;
  await tx.append(row.session_id, [
    decisionEvent(
      { toolCallId: row.tool_call_id, tool: row.tool },
      {
        kind: 'deny',
        source: 'session_terminal',
        originalVerdict: 'require_approval',
        reason: 'session is not active',
      },
    ),
  ]);
  return true;
}

/**
 * Settles every pending approval of the run whose deadline passed by the database's clock.
 *
 * @param options.all settle the others too: the run ends
 * @returns the next deadline of what is still pending, or null
 */
export async function expireApprovals(
  tx: TenantTransaction,
  runId: string,
  options: { all?: boolean } = {},
): Promise<{ expired: number; nextDeadline: Date | null }> {
  const { all = false } = options;
  const due = await tx.query<ApprovalEntity>('select * from svc_lock_due_approvals($1, $2)', [runId, all]);
  let expired = 0;
  for (const row of due) if (await settle(tx, row, 'expired', 'timeout', all)) expired += 1;
  const next = await tx.manager.findOne(ApprovalEntity, {
    select: { id: true, expires_at: true },
    where: { session_id: runId, status: 'pending' },
    order: { expires_at: 'ASC' },
  });
  return { expired, nextDeadline: next?.expires_at ?? null };
}

async function settle(
  tx: TenantTransaction,
  row: ApprovalEntity,
  status: ApprovalDecision | 'expired',
  decidedBy: string,
  early: boolean,
): Promise<boolean> {
  const events = settledEvents(row, status, decidedBy);
  const { bodies, digests } = bodyArguments(events);
  const [result] = await tx.query<{ won: boolean }>(
    'select svc_settle_approval($1, $2, $3, $4, $5, $6::text[], $7::text[]) as won',
    [row.session_id, row.id, status, decidedBy, early, bodies, digests],
  );
  if (result?.won !== true) return false;
  tx.wake(row.session_id, 'ledger');
  tx.wake(row.session_id, 'approval');
  await tx.enqueue(row.session_id, 'approval_decided');
  const waitedSecs = Math.max(0, Date.now() - row.requested_at.getTime()) / 1000;
  tx.tell((observer) => {
    observer.appended(events);
    observer.approvalSettled(status, waitedSecs);
  });
  return true;
}

function settledEvents(row: ApprovalEntity, status: ApprovalDecision | 'expired', decidedBy: string): NewEvent[] {
  const allowed = status === 'approved_once' || status === 'approved_session';
  return [
    {
      actor: 'human',
      type: 'approval.decided',
      data: { approval_id: row.id, tool_call_id: row.tool_call_id, decision: status, decided_by: decidedBy },
    },
    decisionEvent(
      { toolCallId: row.tool_call_id, tool: row.tool },
      { kind: allowed ? 'allow' : 'deny', source: 'human', originalVerdict: null, reason: `human:${decidedBy}` },
    ),
  ];
}
