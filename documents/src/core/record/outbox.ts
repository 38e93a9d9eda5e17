import type { OrganizationTransaction } from '../../../../src/platform/postgres/postgres.js';

/** What a workflow is woken for: a version to be read, a delivery to be made, or a run of extraction. */
export const OUTBOX_KINDS = ['ingest', 'deliver', 'extract'] as const;
export type OutboxKind = (typeof OUTBOX_KINDS)[number];

/** A committed wake-up for a workflow. */
export interface OutboxRow {
  id: string;
  orgId: string;
  kind: OutboxKind;
  /** The version, the delivery or the run. */
  subjectId: string;
  /** What the workflow is called by, where that is not the subject. */
  workflowName: string | null;
}

/** Delivers wake-ups after commit and deletes the delivered rows. Never throws: what it loses the relay sends again. */
export interface OutboxDispatcher {
  dispatch(rows: OutboxRow[]): void;
}

export async function insertOutbox(
  tx: OrganizationTransaction,
  kind: OutboxKind,
  subjectId: string,
  workflowName: string | null = null,
): Promise<OutboxRow> {
  const [row] = await tx.query<{ id: string }>('select docsvc_insert_outbox($1, $2, $3, $4) as id', [
    tx.organizationId,
    kind,
    subjectId,
    workflowName,
  ]);
  return { id: String(row?.id), orgId: tx.organizationId, kind, subjectId, workflowName };
}

/** Calls functions that work across organizations. */
interface Asking {
  query<R extends object>(sql: string, params?: unknown[]): Promise<R[]>;
}

/** Rows of all organizations that nobody delivered for `olderThanMs`, oldest first. */
export async function readStaleOutbox(record: Asking, olderThanMs: number, limit: number): Promise<OutboxRow[]> {
  const rows = await record.query<{
    id: string;
    org_id: string;
    kind: OutboxKind;
    subject_id: string;
    workflow_name: string | null;
  }>('select id, org_id, kind, subject_id, workflow_name from docsvc_read_outbox($1, $2)', [olderThanMs, limit]);
  return rows.map((row) => ({
    ...{ id: row.id, orgId: row.org_id, kind: row.kind, subjectId: row.subject_id },
    workflowName: row.workflow_name,
  }));
}

/** Puts off rows that the driver refused: each further refusal doubles the wait, up to five minutes. */
export async function deferOutbox(record: Asking, ids: string[]): Promise<void> {
  if (ids.length > 0) await record.query('select docsvc_defer_outbox($1::bigint[])', [ids]);
}

/** Forgets delivered rows; ids that are gone already do no harm. */
export async function deleteOutbox(record: Asking, ids: string[]): Promise<void> {
  if (ids.length > 0) await record.query('select docsvc_delete_outbox($1::bigint[])', [ids]);
}
