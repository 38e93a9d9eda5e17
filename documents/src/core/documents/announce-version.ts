import { wake } from '../driver/wake.js';
import { appendEvent } from '../events/append-event.js';
import type { RecordTransaction } from '../record/record.js';
import type { VersionPlace } from './version-place.js';

/** Tells webhooks of a version that has just been made, and has it read. */
export async function announceVersion(tx: RecordTransaction, place: VersionPlace): Promise<void> {
  const { documentId, versionId, version, projectId } = place;
  await appendEvent(tx, {
    type: version === 1 ? 'document.uploaded' : 'document.version_created',
    projectId,
    data: {
      documentId,
      documentVersionId: versionId,
      version,
      status: 'queued',
      links: {
        document: `/api/documents/${documentId}`,
        version: `/api/documents/${documentId}/versions/${version}`,
      },
    },
  });
  await wake(tx, 'ingest', versionId);
}
