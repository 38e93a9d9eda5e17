import { recordSystemAudit } from '../audit/record-audit.js';
import type { RecordTransaction } from '../record/record.js';

/**
 * Purges a document that was deleted: its versions, its text, its vectors, and what was extracted from it; what another document shares stays. The
 * audit keeps that it was.
 *
 * @returns ids of versions and results, whose bytes belong to nobody after the commit
 */
export async function purgeDocument(tx: RecordTransaction, documentId: string, projectId: string): Promise<string[]> {
  const results = await tx.query<{ id: string }>('select docsvc_purge_results($1) as id', [documentId]);
  const rows = await tx.query<{ id: string }>('select docsvc_purge_document($1) as id', [documentId]);
  const versions = rows.map(({ id }) => id);
  if (versions.length > 0) {
    await recordSystemAudit(tx, 'retention', {
      action: 'document.purged',
      subjectKind: 'document',
      subjectId: documentId,
      projectId,
      detail: { versions: versions.length, results: results.length },
    });
  }
  return [...versions, ...results.map(({ id }) => id)];
}
