import type { JsonObject } from '../../../../src/domain/json.js';
import { newRowId } from '../../../../src/platform/postgres/row-id.js';
import { insertRows } from '../../../../src/platform/postgres/write-rows.js';
import type { Caller } from '../access/caller.js';
import type { RecordTransaction } from '../record/record.js';
import { commitClaim } from '../requests/idempotency-claim.js';
import { AuditEventEntity } from './audit-event.entity.js';

/** What is put on the audit: names and ids, never what a document says. */
export interface AuditEntry {
  /** The noun and the past participle, as in `project.created`, or the noun that was read, as in `page.read`. */
  action: string;
  subjectKind: string;
  subjectId: string | null;
  projectId?: string | null;
  detail?: JsonObject;
}

/**
 * Puts a write, or a read of what a document says, on the audit in the caller's transaction. A write that a request with an
 * `Idempotency-Key` makes is tied to its key by this.
 */
export async function recordAudit(tx: RecordTransaction, caller: Caller, entry: AuditEntry): Promise<void> {
  const actor = { actor_kind: 'client', actor_id: caller.clientId, actor_name: caller.clientName } as const;
  await insertRows(tx, AuditEventEntity, [{ ...rowOf(tx, entry), ...actor, request_id: caller.requestId }]);
  await commitClaim(tx);
}

/** The same for what the service does by itself. @param name of the part that does it */
export async function recordSystemAudit(tx: RecordTransaction, name: string, entry: AuditEntry): Promise<void> {
  await insertRows(tx, AuditEventEntity, [{ ...rowOf(tx, entry), actor_kind: 'system', actor_name: name }]);
}

function rowOf(tx: RecordTransaction, { action, subjectKind, subjectId, projectId, detail }: AuditEntry) {
  return {
    id: newRowId(),
    org_id: tx.organizationId,
    action,
    subject_kind: subjectKind,
    subject_id: subjectId,
    project_id: projectId ?? null,
    detail: detail ?? {},
  };
}
