import type { ApprovalRow } from '../../platform/db/approvals.js';
import type { TenantTransaction } from '../../platform/db/database.js';

/** The table is also the registry of every gated call; what never was a question is not listed (chapter 10 §12). */
const LISTED = `status in ('pending', 'approved_once', 'approved_session', 'denied', 'expired') and expires_at is not null`;

/** Pending approvals of the organization, oldest first. */
export function listPending(tx: TenantTransaction, limit: number): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(`select * from approvals where status = 'pending' order by requested_at, id limit $1`, [
    limit,
  ]);
}

/** Pending and decided approvals of a run, newest first. */
export function listOfSession(tx: TenantTransaction, sessionId: string, limit: number): Promise<ApprovalRow[]> {
  return tx.query<ApprovalRow>(
    `select * from approvals where session_id = $1 and ${LISTED} order by requested_at desc, id desc limit $2`,
    [sessionId, limit],
  );
}
