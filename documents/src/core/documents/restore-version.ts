import { IsNull } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { DocsvcError } from '../../domain/errors.js';
import { originalKey } from '../../platform/blobs/blob-store.js';
import { changedNothing } from '../record/changed-nothing.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentPlace } from './document-place.js';
import { addVersion } from './add-version.js';
import type { VersionPlace } from './version-place.js';
import { DocumentEntity } from './document.entity.js';
import type { VersionView } from './view-versions.js';

/**
 * Makes an older version the newest one again: a new version with its bytes, which keep one place on the disk until both are gone.
 *
 * @param alongside runs in the transaction that makes the version
 * @throws DocsvcError `not_found`, `purged` when its bytes are gone, `quota_exceeded`
 */
export async function restoreVersion(
  { record, store, quotas }: DocumentPlace,
  orgId: string,
  restored: VersionView,
  alongside: (tx: RecordTransaction, made: VersionPlace) => Promise<void>,
): Promise<VersionPlace> {
  const id = uuidv7();
  if ((await store.head(restored.blobKey)) === null)
    throw new DocsvcError('purged', `the bytes of version ${restored.version} are gone`);
  await store.copy(restored.blobKey, originalKey(id));
  try {
    return await record.inOrganization(orgId, async (tx) => {
      const document = await tx.manager.findOne(DocumentEntity, {
        where: { id: restored.documentId, deleted_at: IsNull() },
        lock: { mode: 'pessimistic_write' },
      });
      if (document === null) throw new DocsvcError('not_found', 'there is no such document');
      const made = await addVersion(
        tx,
        {
          id,
          projectId: document.project_id,
          name: document.name,
          blobKey: originalKey(id),
          contentType: restored.contentType,
          sizeBytes: restored.sizeBytes,
          declaredSha256: null,
          sha256: restored.sha256,
          metadata: {},
          labels: [],
        },
        quotas,
      );
      await alongside(tx, made);
      return made;
    });
  } catch (error) {
    if (changedNothing(error)) await store.deleteOwner(id);
    throw error;
  }
}
