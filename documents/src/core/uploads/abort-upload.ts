import { DocsvcError } from '../../domain/errors.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import type { RecordTransaction } from '../record/record.js';
import type { UploadStatus } from './upload-session.entity.js';

/**
 * Ends an upload and, after the commit, gives back the room of its parts. One that has ended is left as it is.
 *
 * @throws DocsvcError `not_found`, `conflict` when it is completed or being completed
 */
export async function abortUpload(tx: RecordTransaction, store: BlobStore, uploadId: string): Promise<void> {
  const [row] = await tx.query<{ status: UploadStatus; version_id: string | null }>(
    'select * from docsvc_abort_upload($1)',
    [uploadId],
  );
  if (row === undefined) throw new DocsvcError('not_found', 'there is no such upload');
  if (row.status === 'completing' || row.status === 'completed')
    throw new DocsvcError('conflict', `this upload is ${row.status}; delete its document instead`);
  tx.afterCommit(() => freeUpload(store, uploadId, row.version_id));
}

/** @param versionId whose bytes were this upload alone, and lie where a version has them */
export async function freeUpload(store: BlobStore, uploadId: string, versionId: string | null): Promise<void> {
  await store.abortUpload(uploadId);
  if (versionId !== null) await store.deleteOwner(versionId);
}
