import { insertOutbox, type OutboxKind } from '../record/outbox.js';
import type { RecordTransaction } from '../record/record.js';

/**
 * Leaves a wake-up for the workflow of a version or of a delivery in the caller's transaction. After the commit it is sent at once; the
 * relay sends it again when that is lost, so a committed wake-up is never lost.
 */
export async function wake(tx: RecordTransaction, kind: OutboxKind, subjectId: string): Promise<void> {
  const row = await insertOutbox(tx, kind, subjectId);
  tx.afterCommit(() => tx.outbox?.dispatch([row]));
}
