import type { ApprovalEntity } from './approval.entity.js';
import type { TenantTransaction } from '../record/database.js';
import { notFound } from '../../domain/resource-id.js';

/** The pending ones of an organization, or with a run all that it asked for. */
export interface ApprovalScope {
  organizationId: string;
  runId: string | null;
  /** Limits the list to the runs of this user; null for a caller who sees every run. */
  invokedBy: string | null;
}

/** What distinguishes one state of a list from another. */
export type ApprovalState = Pick<ApprovalEntity, 'id' | 'status' | 'withheld_reason'>;

/** Pending approvals of the organization, oldest first; those of a run newest first. */
export function listApprovals(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalEntity[]> {
  return list(tx, scope, limit, {
    pending: 'select * from svc_list_pending_approvals($1, $2)',
    ofRun: 'select * from svc_list_run_approvals($1, $2, $3)',
  });
}

/** The same rows as {@link listApprovals} returns, without their contents. */
export function listStates(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalState[]> {
  return list(tx, scope, limit, {
    pending: 'select id, status, withheld_reason from svc_list_pending_approvals($1, $2)',
    ofRun: 'select id, status, withheld_reason from svc_list_run_approvals($1, $2, $3)',
  });
}

function list<Row extends object>(
  tx: TenantTransaction,
  { runId, invokedBy }: ApprovalScope,
  limit: number,
  texts: { pending: string; ofRun: string },
): Promise<Row[]> {
  return runId === null
    ? tx.query<Row>(texts.pending, [invokedBy, limit])
    : tx.query<Row>(texts.ofRun, [runId, invokedBy, limit]);
}

/** Throws `not_found`, also for a call that never was a question, and one of a run that `invokedBy` did not start. */
export async function readListed(
  tx: TenantTransaction,
  approvalId: string,
  invokedBy: string | null,
): Promise<ApprovalEntity> {
  const [row] = await tx.query<ApprovalEntity>('select * from svc_read_listed_approval($1, $2)', [
    approvalId,
    invokedBy,
  ]);
  if (row === undefined) throw notFound('approval');
  return row;
}

/**
 * Of each approval, other calls of its run that were asked about and that a grant for it would cover: the last ones first, each text
 * once. Their texts have been redacted when they were stored. By approval id.
 */
export async function coveredCalls(
  tx: TenantTransaction,
  approvalIds: readonly string[],
  count: number,
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; summaries: string[] }>(
    'select * from svc_list_covered_calls($1::uuid[], $2)',
    [approvalIds, count],
  );
  return new Map(rows.map(({ id, summaries }) => [id, summaries]));
}
