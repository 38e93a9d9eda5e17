import { insertOutbox, type OutboxKind, type OutboxRow } from '../record/outbox.js';
import type { RecordTransaction } from '../record/record.js';

/**
 * Leaves a wake-up for the workflow of a version, a delivery or a run of extraction in the caller's transaction. After the commit it is sent at once; the
 * relay sends it again when that is lost, so a committed wake-up is never lost.
 *
 * @param workflowName what the workflow is called by, where that is not the subject
 */
export async function wake(
  tx: RecordTransaction,
  kind: OutboxKind,
  subjectId: string,
  workflowName: string | null = null,
): Promise<void> {
  sendOnceCommitted(tx, await insertOutbox(tx, kind, subjectId, workflowName));
}

/** The same for a wake-up that a statement of the transaction has left. */
export function sendOnceCommitted(tx: RecordTransaction, row: OutboxRow): void {
  tx.afterCommit(() => tx.outbox?.dispatch([row]));
}
