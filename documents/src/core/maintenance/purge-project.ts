import { recordSystemAudit } from '../audit/record-audit.js';
import type { RecordTransaction } from '../record/record.js';

/** Purges an archived project that holds no document any more; the audit keeps that it was. Does nothing while it holds something. */
export async function purgeProject(tx: RecordTransaction, projectId: string): Promise<void> {
  const [row] = await tx.query<{ purged: boolean }>('select docsvc_purge_project($1) as purged', [projectId]);
  if (row?.purged !== true) return;
  await recordSystemAudit(tx, 'retention', {
    action: 'project.purged',
    subjectKind: 'project',
    subjectId: projectId,
    projectId,
    detail: {},
  });
}
