import type { RecordTransaction } from '../record/record.js';
import { UPLOAD_TTL_SECS } from './upload-ttl.js';

/** Code of a version, and of its upload, whose bytes do not have the digest that the client stated. */
export const CHECKSUM_MISMATCH = 'checksum_mismatch';

/**
 * Ends the completion of an upload whose digest was stated, once the bytes of its version were read; belongs into the transaction that
 * writes what reading came to. After a mismatch the upload is `failed` with its parts kept: it can be completed again, with another
 * digest or other parts. Does nothing where no upload waits.
 */
export async function settleUpload(tx: RecordTransaction, versionId: string, matches: boolean): Promise<void> {
  const error = {
    code: CHECKSUM_MISMATCH,
    message: 'the bytes do not have the SHA-256 that was stated; compare the ETags of the parts and complete again',
  };
  await tx.query('select docsvc_settle_upload($1, $2, $3, $4)', [versionId, matches, error, UPLOAD_TTL_SECS]);
}
