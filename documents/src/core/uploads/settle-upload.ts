import { CHECKSUM_MISMATCH, sentenceOf, type IngestErrorCode } from '../../domain/ingest/ingest-errors.js';
import type { IngestAttempt } from '../ingest/ingest-moves.js';
import type { RecordTransaction } from '../record/record.js';
import { UPLOAD_TTL_SECS } from './upload-ttl.js';

/**
 * Ends the completion of an upload whose digest was stated: once the bytes of its version were found to have it, or when an attempt to
 * read them ends without that. Comes before the move that ends the attempt, in its transaction. An upload that is `failed` by this keeps its
 * parts: it can be completed again, with another digest or other parts. Does nothing where no upload waits.
 *
 * @param failure why the version failed; null when its bytes have the digest
 */
export async function settleUpload(
  tx: RecordTransaction,
  { versionId, attempt }: IngestAttempt,
  failure: IngestErrorCode | null,
): Promise<void> {
  const error = failure === null ? null : { code: failure, message: describe(failure) };
  await tx.query('select docsvc_settle_upload($1, $2, $3, $4)', [versionId, attempt, error, UPLOAD_TTL_SECS]);
}

function describe(failure: IngestErrorCode): string {
  if (failure !== CHECKSUM_MISMATCH) return sentenceOf(failure);
  return 'the bytes do not have the SHA-256 that was stated; compare the ETags of the parts and complete again';
}
