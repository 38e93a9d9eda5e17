import type { ApprovalRow } from '../../platform/db/approvals.js';
import type { TenantTransaction } from '../../platform/db/database.js';
import { notFound } from '../http/resource-id.js';

/** The table is also the registry of every gated call; what never was a question is not listed (chapter 10 §12). */
const LISTED = `status in ('pending', 'approved_once', 'approved_session', 'denied', 'expired') and expires_at is not null`;

/** The pending ones of an organization, or with a run all that it asked for. */
export interface ApprovalScope {
  organizationId: string;
  sessionId: string | null;
}

/** What tells one state of a list from another. */
export type ApprovalState = Pick<ApprovalRow, 'id' | 'status' | 'withheld_reason'>;

/** Pending approvals of the organization, oldest first; those of a run newest first. */
export function listApprovals(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalRow[]> {
  return select(tx, '*', scope, limit);
}

/** The same rows as {@link listApprovals} answers, without what they hold. */
export function listStates(tx: TenantTransaction, scope: ApprovalScope, limit: number): Promise<ApprovalState[]> {
  return select(tx, 'id, status, withheld_reason', scope, limit);
}

/** Throws `not_found`, also for a call that never was a question. */
export async function readListed(tx: TenantTransaction, approvalId: string): Promise<ApprovalRow> {
  const [row] = await tx.query<ApprovalRow>(`select * from approvals where id = $1 and ${LISTED}`, [approvalId]);
  if (row === undefined) throw notFound('approval');
  return row;
}

function select<R extends object>(
  tx: TenantTransaction,
  columns: string,
  { sessionId }: ApprovalScope,
  limit: number,
): Promise<R[]> {
  if (sessionId === null) {
    return tx.query<R>(`select ${columns} from approvals where status = 'pending' order by requested_at, id limit $1`, [
      limit,
    ]);
  }
  return tx.query<R>(
    `select ${columns} from approvals where session_id = $1 and ${LISTED} order by requested_at desc, id desc limit $2`,
    [sessionId, limit],
  );
}
