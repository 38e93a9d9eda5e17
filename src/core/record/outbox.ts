import type pg from 'pg';
import type { OutboxKind } from '../../domain/run/outbox-kind.js';
import { queryRows } from './query-row.js';

/** A wake-up for a workflow. */
export interface OutboxRow {
  id: string;
  organizationId: string;
  /** The run; of the kind `webhook_stored` the stored webhook. */
  subjectId: string;
  kind: OutboxKind;
}

/** Delivers wake-ups after commit and deletes the delivered rows. Never throws: what it loses the relay sends again. */
export interface OutboxDispatcher {
  dispatch(rows: OutboxRow[]): void;
}

interface Inserting {
  readonly organizationId: string;
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
}

export async function insertOutbox(tx: Inserting, subjectId: string, kind: OutboxKind): Promise<OutboxRow> {
  const [row] = await tx.query<{ id: string }>('select svc_insert_outbox($1, $2, $3) as id', [
    tx.organizationId,
    subjectId,
    kind,
  ]);
  return { id: String(row?.id), organizationId: tx.organizationId, subjectId, kind };
}

/** Rows of all organizations that nobody delivered for `olderThanMs`, oldest first. */
export async function readStaleOutbox(pool: pg.Pool, olderThanMs: number, limit: number): Promise<OutboxRow[]> {
  const rows = await queryRows<{ id: string; organization_id: string; subject_id: string; kind: OutboxKind }>(pool, {
    text: 'select id, organization_id, subject_id, kind from svc_read_outbox($1, $2)',
    values: [olderThanMs, limit],
  });
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    subjectId: row.subject_id,
    kind: row.kind,
  }));
}

/** Puts off rows that the driver refused: each further refusal doubles the wait, up to five minutes. */
export async function deferOutbox(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length > 0) await queryRows(pool, { text: 'select svc_defer_outbox($1::bigint[])', values: [ids] });
}

/** Forgets delivered rows; ids that are gone already do no harm. */
export async function deleteOutbox(pool: pg.Pool, ids: string[]): Promise<void> {
  if (ids.length > 0) await queryRows(pool, { text: 'select svc_delete_outbox($1::bigint[])', values: [ids] });
}
