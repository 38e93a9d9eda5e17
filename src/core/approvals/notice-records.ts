import type pg from 'pg';
import { onlyRow, queryRows } from '../record/query-row.js';
import type { TenantTransaction } from '../record/database.js';

/** `overtaken`: settled before the receiver took it; `failed`: the attempts are used up. */
export type NoticeState = 'retrying' | 'delivered' | 'overtaken' | 'failed';

export interface NoticeRecord {
  approvalId: string;
  runId: string;
  state: NoticeState;
  attempts: number;
  /** Our own words and numbers; nothing from the receiver. */
  error: string | null;
}

/** What a notice says; no part of it comes from the input of the call. */
export interface NoticeSubject {
  approvalId: string;
  runId: string;
  agent: string;
  tool: string;
  risk: string | null;
  requestedAt: Date;
  expiresAt: Date | null;
  /** Still waits for a decision, by the database's clock. */
  open: boolean;
  /** An earlier workflow of the same notice has finished: nothing is sent again. */
  told: boolean;
}

/** Null when there is no such approval. */
export async function readNoticeSubject(tx: TenantTransaction, approvalId: string): Promise<NoticeSubject | null> {
  const [row] = await tx.query<NoticeSubject>(
    `select approval_id as "approvalId", session_id as "runId", agent, tool, risk, requested_at as "requestedAt",
            expires_at as "expiresAt", open, told
       from svc_read_notice_subject($1)`,
    [approvalId],
  );
  return row ?? null;
}

/** Pending approvals of the run whose notice is not final yet. */
export async function listUnnoticed(tx: TenantTransaction, runId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select svc_list_unnoticed($1) as id', [runId]);
  return rows.map((row) => row.id);
}

/** A later state replaces an earlier one; a final state stays. */
export async function recordNotice(tx: TenantTransaction, notice: NoticeRecord): Promise<void> {
  await tx.query('select svc_record_notice($1, $2, $3, $4, $5, $6)', [
    tx.organizationId,
    notice.runId,
    notice.approvalId,
    notice.state,
    notice.attempts,
    notice.error,
  ]);
}

/** Of all organizations: approvals that have been pending for `olderThanMs` and whose notice has no end, oldest first. */
export function listUnnoticedApprovals(
  pool: pg.Pool,
  olderThanMs: number,
  limit: number,
): Promise<{ organizationId: string; runId: string; approvalId: string }[]> {
  return queryRows<{ organizationId: string; runId: string; approvalId: string }>(pool, {
    text: `select organization_id as "organizationId", session_id as "runId", approval_id as "approvalId"
             from svc_list_unnoticed_approvals($1, $2)`,
    values: [olderThanMs, limit],
  });
}

/** Over all organizations: recent approvals that nobody could be notified of. */
export async function countFailedNotices(client: pg.Client, hours: number): Promise<number> {
  await client.query('set role sandgate_app');
  const { rows } = await client.query<{ failed: string }>('select svc_count_failed_notices($1) as failed', [hours]);
  return Number(onlyRow(rows, 'svc_count_failed_notices').failed);
}
