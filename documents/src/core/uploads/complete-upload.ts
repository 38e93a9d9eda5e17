import { v7 as uuidv7 } from 'uuid';
import { DocsvcError } from '../../domain/errors.js';
import { originalKey } from '../../platform/blobs/blob-store.js';
import type { VersionPlace } from '../documents/version-place.js';
import { announceVersion } from '../documents/announce-version.js';
import { quotaExceeded } from '../documents/quota-exceeded.js';
import { wake } from '../driver/wake.js';
import { changedNothing } from '../record/changed-nothing.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentPlace } from '../documents/document-place.js';
import type { UploadStatus } from './upload-session.entity.js';
import { UPLOAD_TTL_SECS } from './upload-ttl.js';

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

/** A completion that was begun, with the id of the version to be. */
export interface BegunCompletion {
  orgId: string;
  uploadId: string;
  versionId: string;
}

/** Runs in the transaction that makes the version, or has one that failed read `again`. */
export type Alongside = (tx: RecordTransaction, made: VersionPlace, done: 'made' | 'again') => Promise<void>;

/**
 * Makes the version of an upload whose parts are all here. Repeated, also by many at once, it makes one version and gives the same answer
 * (DI-009). The bytes are moved between two transactions, and whoever finds that half done finishes it.
 *
 * @throws DocsvcError `not_found`, `upload_incomplete` naming the missing parts, `upload_expired`, `conflict` while the version of an
 * upload that failed is read once more, `quota_exceeded`
 */
export async function completeUpload(
  place: DocumentPlace,
  completion: Completion,
  alongside: Alongside,
): Promise<VersionPlace> {
  const { orgId, uploadId } = completion;
  const versionId = await beginCompletion(place, completion);
  return finishCompletion(place, { orgId, uploadId, versionId }, alongside);
}

/** @returns the id of the version to be */
async function beginCompletion({ record }: DocumentPlace, completion: Completion): Promise<string> {
  const { orgId, uploadId, parts, sha256 } = completion;
  const [row] = await record.inOrganization(orgId, (tx) =>
    tx.query<BegunSql>('select * from docsvc_begin_completion($1, $2, $3, $4, $5, $6)', [
      uploadId,
      uuidv7(),
      sha256,
      parts?.map(({ partNumber }) => partNumber) ?? null,
      parts?.map(({ etag }) => etag) ?? null,
      MOST_MISSING,
    ]),
  );
  if (row === undefined) throw new DocsvcError('not_found', 'there is no such upload');
  if (row.reading)
    throw new DocsvcError('conflict', 'the version of this upload is being read; complete it again later');
  if (row.missing.length > 0) throw incomplete(row.missing);
  if (row.version_id === null || row.status === 'aborted' || row.status === 'expired')
    throw new DocsvcError('upload_expired', `this upload is ${row.status}; begin a new one`);
  return row.version_id;
}

/**
 * The second half, for a completion that was begun; also for those that find it left undone. One that is refused does not stay half done:
 * its upload is `failed` and says why, and can be completed again or aborted.
 *
 * @throws as {@link completeUpload} does
 */
export async function finishCompletion(
  place: DocumentPlace,
  begun: BegunCompletion,
  alongside: Alongside,
): Promise<VersionPlace> {
  try {
    await place.store.completeUpload(begun.uploadId, originalKey(begun.versionId));
    return await makeVersion(place, begun, alongside);
  } catch (error) {
    if (changedNothing(error)) await refuseCompletion(place, begun, error);
    throw error;
  }
}

async function makeVersion(
  { record, quotas }: DocumentPlace,
  { orgId, uploadId, versionId }: BegunCompletion,
  alongside: Alongside,
): Promise<VersionPlace> {
  return record.inOrganization(orgId, async (tx) => {
    const [row] = await tx.query<FinishedSql>('select * from docsvc_finish_completion($1, $2, $3, $4)', [
      uploadId,
      uuidv7(),
      originalKey(versionId),
      quotas.documents,
    ]);
    if (row === undefined) throw new DocsvcError('conflict', 'this upload has ended meanwhile; complete it again');
    if (row.refused !== null) throw quotaExceeded(row.refused, quotas);
    const made: VersionPlace = {
      documentId: row.document_id,
      versionId: row.version_id,
      version: row.version,
      projectId: row.project_id,
    };
    // Listeners have heard of a version that is read again.
    if (row.done === 'made') await announceVersion(tx, made);
    if (row.done === 'again') await wake(tx, 'ingest', made.versionId);
    if (row.done !== 'nothing') await alongside(tx, made, row.done);
    return made;
  });
}

/** Does nothing where somebody else has made the version meanwhile. */
async function refuseCompletion(
  { record }: DocumentPlace,
  { orgId, uploadId }: BegunCompletion,
  { code, message }: DocsvcError,
): Promise<void> {
  await record.inOrganization(orgId, (tx) =>
    tx.query('select docsvc_refuse_completion($1, $2, $3)', [uploadId, { code, message }, UPLOAD_TTL_SECS]),
  );
}

interface BegunSql {
  status: UploadStatus;
  version_id: string | null;
  missing: number[];
  reading: boolean;
}

interface FinishedSql {
  document_id: string;
  version_id: string;
  project_id: string;
  version: number;
  done: 'made' | 'again' | 'nothing';
  refused: string | null;
}

function incomplete(missing: number[]): DocsvcError {
  const count = missing.length === MOST_MISSING ? `at least ${MOST_MISSING}` : missing.length;
  const message = `${count} parts are missing or have other ETags; send them and complete again`;
  const details = missing.map((number) => ({
    path: `parts[${number}]`,
    code: 'missing_part',
    message: `part ${number} is missing, or was received with another ETag`,
  }));
  return new DocsvcError('upload_incomplete', message, { details });
}
