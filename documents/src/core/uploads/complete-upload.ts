import { v7 as uuidv7 } from 'uuid';
import { DocsvcError } from '../../domain/errors.js';
import { originalKey } from '../../platform/blobs/blob-store.js';
import type { VersionPlace } from '../documents/version-place.js';
import { announceVersion } from '../documents/announce-version.js';
import { quotaExceeded } from '../documents/quota-exceeded.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentPlace } from '../documents/document-place.js';
import type { UploadStatus } from './upload-session.entity.js';

/** Missing parts that one refusal names. */
const MOST_MISSING = 1_000;

/** A part as the client knows it. */
export interface StatedPart {
  partNumber: number;
  etag: string;
}

export interface Completion {
  orgId: string;
  uploadId: string;
  /** Null: whatever was received. */
  parts: readonly StatedPart[] | null;
  /** Of the whole file; null when the client does not say. */
  sha256: Buffer | null;
}

/**
 * Makes the version of an upload whose parts are all here. Repeated, also by many at once, it makes one version and gives the same answer
 * (DI-009). The bytes are moved between two transactions, and whoever finds that half done finishes it.
 *
 * @param alongside runs in the transaction that makes the version
 * @throws DocsvcError `not_found`, `upload_incomplete` naming the missing parts, `upload_expired`, `quota_exceeded`
 */
export async function completeUpload(
  place: DocumentPlace,
  completion: Completion,
  alongside: (tx: RecordTransaction, made: VersionPlace) => Promise<void>,
): Promise<VersionPlace> {
  const versionId = await beginCompletion(place, completion);
  await place.store.completeUpload(completion.uploadId, originalKey(versionId));
  return finishCompletion(place, { ...completion, versionId }, alongside);
}

/** @returns the id of the version to be */
async function beginCompletion({ record }: DocumentPlace, completion: Completion): Promise<string> {
  const { orgId, uploadId, parts, sha256 } = completion;
  const [row] = await record.inOrganization(orgId, (tx) =>
    tx.query<{ status: UploadStatus; version_id: string | null; missing: number[] }>(
      'select * from docsvc_begin_completion($1, $2, $3, $4, $5, $6)',
      [
        uploadId,
        uuidv7(),
        sha256,
        parts?.map(({ partNumber }) => partNumber) ?? null,
        parts?.map(({ etag }) => etag) ?? null,
        MOST_MISSING,
      ],
    ),
  );
  if (row === undefined) throw new DocsvcError('not_found', 'there is no such upload');
  if (row.missing.length > 0) throw incomplete(row.missing);
  if (row.version_id === null) throw new DocsvcError('upload_expired', `this upload is ${row.status}; begin a new one`);
  if (row.status === 'aborted' || row.status === 'expired')
    throw new DocsvcError('upload_expired', `this upload is ${row.status}; begin a new one`);
  return row.version_id;
}

/** The second half, for a completion that was begun; also for those that find it left undone. */
export async function finishCompletion(
  { record, quotas }: DocumentPlace,
  { orgId, uploadId, versionId }: { orgId: string; uploadId: string; versionId: string },
  alongside: (tx: RecordTransaction, made: VersionPlace) => Promise<void>,
): Promise<VersionPlace> {
  return record.inOrganization(orgId, async (tx) => {
    const [row] = await tx.query<FinishedSql>('select * from docsvc_finish_completion($1, $2, $3, $4)', [
      uploadId,
      uuidv7(),
      originalKey(versionId),
      quotas.documents,
    ]);
    if (row === undefined) throw new DocsvcError('conflict', 'this upload failed meanwhile; complete it again');
    if (row.refused !== null) throw quotaExceeded(row.refused, quotas);
    const made: VersionPlace = {
      documentId: row.document_id,
      versionId: row.version_id,
      version: row.version,
      projectId: row.project_id,
    };
    if (row.fresh) {
      await announceVersion(tx, made);
      await alongside(tx, made);
    }
    return made;
  });
}

interface FinishedSql {
  document_id: string;
  version_id: string;
  project_id: string;
  version: number;
  fresh: boolean;
  refused: string | null;
}

function incomplete(missing: number[]): DocsvcError {
  const more = missing.length === MOST_MISSING ? ' at least' : '';
  const message =
    `${more} ${missing.length} parts are missing or have other ETags; send them and complete again`.trim();
  const details = missing.map((number) => ({
    path: `parts[${number}]`,
    code: 'missing_part',
    message: `part ${number} is missing, or was received with another ETag`,
  }));
  return new DocsvcError('upload_incomplete', message, { details });
}
