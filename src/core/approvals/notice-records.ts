import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import type { TenantTransaction } from '../record/database.js';

/** `overtaken`: settled before the receiver took it; `failed`: the attempts are used up. */
export type NoticeState = 'retrying' | 'delivered' | 'overtaken' | 'failed';

export interface NoticeRecord {
  approvalId: string;
  sessionId: string;
  state: NoticeState;
  attempts: number;
  /** Our own words and numbers; nothing from the receiver. */
  error: string | null;
}

/** What a notice says; no part of it comes from the input of the call. */
export interface NoticeSubject {
  approvalId: string;
  sessionId: string;
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
    `select a.id as "approvalId", a.session_id as "sessionId", g.name as agent, a.tool, a.risk,
            a.requested_at as "requestedAt", a.expires_at as "expiresAt",
            a.status = 'pending' and a.expires_at > clock_timestamp() as open,
            coalesce(n.state <> 'retrying', false) as told
       from approvals a join sessions s on s.id = a.session_id join agents g on g.id = s.agent_id
       left join approval_notices n on n.approval_id = a.id
      where a.id = $1`,
    [approvalId],
  );
  return row ?? null;
}

/** Pending approvals of the run whose notice is not final yet. */
export async function listUnnoticed(tx: TenantTransaction, sessionId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select a.id from approvals a left join approval_notices n on n.approval_id = a.id
      where a.session_id = $1 and a.status = 'pending' and (n.approval_id is null or n.state = 'retrying')`,
    [sessionId],
  );
  return rows.map((row) => row.id);
}

/** A later state replaces an earlier one; a final state stays. */
export async function recordNotice(tx: TenantTransaction, notice: NoticeRecord): Promise<void> {
  await tx.query(
    `insert into approval_notices (approval_id, tenant_id, session_id, state, attempts, last_error)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (approval_id) do update set state = excluded.state, attempts = excluded.attempts,
       last_error = excluded.last_error, updated_at = clock_timestamp() where approval_notices.state = 'retrying'`,
    [notice.approvalId, tx.organizationId, notice.sessionId, notice.state, notice.attempts, notice.error],
  );
}

/** Of all organizations: approvals that have been pending for `olderThanMs` and whose notice is not final, oldest first. */
export async function listUnnoticedApprovals(
  pool: pg.Pool,
  olderThanMs: number,
  limit: number,
): Promise<{ organizationId: string; sessionId: string; approvalId: string }[]> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ organizationId: string; sessionId: string; approvalId: string }>(
      `select organization_id as "organizationId", session_id as "sessionId", approval_id as "approvalId"
         from svc_list_unnoticed_approvals($1, $2)`,
      [olderThanMs, limit],
    ),
  );
  return rows;
}

/** Over all organizations: recent approvals that nobody could be notified of. */
export async function countFailedNotices(client: pg.Client, hours: number): Promise<number> {
  await client.query('set role sandgate_app');
  const { rows } = await client.query<{ failed: string }>('select svc_count_failed_notices($1) as failed', [hours]);
  return Number(rows[0]?.failed ?? 0);
}
