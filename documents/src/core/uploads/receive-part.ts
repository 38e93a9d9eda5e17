import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DocsvcError } from '../../domain/errors.js';
import { rangeOfPart, type PartRange } from '../../domain/uploads/part-plan.js';
import { originalKey, type BlobStore } from '../../platform/blobs/blob-store.js';
import type { Record } from '../record/record.js';
import type { PartSlots } from './part-slots.js';
import type { UploadStatus } from './upload-session.entity.js';
import { UPLOAD_TTL_SECS } from './upload-ttl.js';

/** One part as it comes in. */
export interface SentPart {
  orgId: string;
  uploadId: string;
  partNumber: number;
  body: Readable;
  /** As its headers say, where they do. */
  contentLength: number | null;
  sha256: Buffer | null;
}

/** Where parts go. */
export interface PartReceiver {
  record: Record;
  store: BlobStore;
  slots: PartSlots;
}

interface AdmittedSql {
  status: UploadStatus;
  size_bytes: string;
  part_size_bytes: string;
  part_count: number;
  version_id: string | null;
  etag: string | null;
  sha256: Buffer | null;
}

/** The ETag of a part: the same bytes have the same one. */
export function etagOf(sha256: Buffer): string {
  return sha256.toString('hex');
}

/**
 * Takes in one part; it counts once its bytes and its digest are durable (DI-006). A part that counts is not written again: the same bytes
 * get the same ETag, others are refused, unless the upload failed by its digest.
 *
 * @returns the ETag, without quotes
 * @throws DocsvcError `not_found`, `upload_expired`, `conflict` for other bytes or an upload that has ended, `invalid_request` for a body
 * that is not this part
 */
export async function receivePart(receiver: PartReceiver, part: SentPart): Promise<string> {
  const { uploadId, partNumber } = part;
  // Whoever reads the body is told of its end; while nobody does, it may still be taken away.
  part.body.on('error', () => undefined);
  return receiver.slots.take(uploadId, partNumber, async (cancelled) => {
    const replaced = (): void => void part.body.destroy(takenOver(partNumber));
    cancelled.addEventListener('abort', replaced, { once: true });
    if (cancelled.aborted) throw takenOver(partNumber);
    try {
      return await receive(receiver, part);
    } finally {
      cancelled.removeEventListener('abort', replaced);
    }
  });
}

async function receive(receiver: PartReceiver, part: SentPart): Promise<string> {
  const { record, store } = receiver;
  const { orgId, uploadId, partNumber } = part;
  const [admitted] = await record.inOrganization(orgId, (tx) =>
    tx.query<AdmittedSql>('select * from docsvc_admit_part($1, $2)', [uploadId, partNumber]),
  );
  assertTakesParts(admitted);
  const range = rangeOfPart(
    {
      sizeBytes: Number(admitted.size_bytes),
      partSizeBytes: Number(admitted.part_size_bytes),
      partCount: admitted.part_count,
    },
    partNumber,
  );
  if (part.contentLength !== null && part.contentLength !== range.length)
    throw notThisPart('wrong_length', `part ${partNumber} has ${range.length} bytes, not ${part.contentLength}`);
  if (admitted.sha256 !== null && (admitted.status === 'open' || part.sha256?.equals(admitted.sha256) === true))
    return confirmPart(admitted.sha256, part, range);
  if (admitted.status === 'failed') await reopenPart(receiver, part, admitted);
  const sha256 = await store.putPart(uploadId, range, part.body);
  assertStated(part, sha256);
  await countPart(record, part, sha256, range.length);
  return etagOf(sha256);
}

function assertTakesParts(admitted: AdmittedSql | undefined): asserts admitted is AdmittedSql {
  if (admitted === undefined) throw new DocsvcError('not_found', 'there is no such upload');
  switch (admitted.status) {
    case 'open':
    case 'failed':
      return;
    case 'expired':
    case 'aborted':
      throw new DocsvcError('upload_expired', `this upload is ${admitted.status}; begin a new one`);
    case 'completing':
    case 'completed':
      throw new DocsvcError('conflict', `this upload is ${admitted.status} and takes no more parts`);
  }
}

/** Reads the bytes of a part that counts already, without writing them. */
async function confirmPart(counted: Buffer, part: SentPart, range: PartRange): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of part.body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > range.length) break;
    hash.update(chunk);
  }
  if (bytes !== range.length)
    throw notThisPart('wrong_length', `part ${part.partNumber} has ${range.length} bytes, not ${bytes}`);
  const sha256 = hash.digest();
  assertStated(part, sha256);
  if (sha256.equals(counted)) return etagOf(sha256);
  throw new DocsvcError(
    'conflict',
    `part ${part.partNumber} was received with other bytes; abort this upload and begin a new one if the file has changed`,
  );
}

/** After a digest that was not the stated one, any part may have been the wrong one. */
async function reopenPart({ record, store }: PartReceiver, part: SentPart, admitted: AdmittedSql): Promise<void> {
  const open = await record.inOrganization(part.orgId, async (tx) => {
    const [row] = await tx.query<{ open: boolean }>('select docsvc_uncount_part($1, $2) as open', [
      part.uploadId,
      part.partNumber,
    ]);
    return row?.open === true;
  });
  if (!open) throw new DocsvcError('conflict', 'this upload has ended meanwhile');
  if (admitted.version_id !== null) await store.reopenUpload(part.uploadId, originalKey(admitted.version_id));
}

async function countPart(record: Record, part: SentPart, sha256: Buffer, sizeBytes: number): Promise<void> {
  const [row] = await record.inOrganization(part.orgId, (tx) =>
    tx.query<{ counted: boolean }>('select docsvc_count_part($1, $2, $3, $4, $5, $6) as counted', [
      part.uploadId,
      part.partNumber,
      etagOf(sha256),
      sha256,
      sizeBytes,
      UPLOAD_TTL_SECS,
    ]),
  );
  if (row?.counted !== true) throw new DocsvcError('conflict', 'this upload has ended meanwhile');
}

function assertStated(part: SentPart, sha256: Buffer): void {
  if (part.sha256 === null || part.sha256.equals(sha256)) return;
  throw notThisPart('digest_mismatch', `the bytes of part ${part.partNumber} do not have the digest of Content-Digest`);
}

function notThisPart(code: string, message: string): DocsvcError {
  return new DocsvcError('invalid_request', message, { details: [{ path: 'body', code, message }] });
}

function takenOver(partNumber: number): DocsvcError {
  return new DocsvcError('conflict', `part ${partNumber} is being sent by a later request`);
}
