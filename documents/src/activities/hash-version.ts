import { createHash } from 'node:crypto';
import { beginIngest, noteDigest, type IngestSubject } from '../core/ingest/ingest-moves.js';
import type { BlobStore } from '../platform/blobs/blob-store.js';
import type { IngestDependencies } from './ingest-dependencies.js';
import type { AttemptRef } from './ingest-steps.js';

/** Smaller files are hashed with the other short steps, in well under a second: they never wait behind large ones. */
const HASHED_ALONG_BYTES = 64 * 1024 * 1024;

/** Whether a file waits for a slot among those that are hashed. */
export function needsHashingApart({ sha256, sizeBytes }: Pick<IngestSubject, 'sha256' | 'sizeBytes'>): boolean {
  return sha256 === null && sizeBytes > HASHED_ALONG_BYTES;
}

/** Hashes the bytes of a version and notes their digest. A file that is missing is left to the next step, which tells of it. */
export async function hashVersion(on: IngestDependencies, ref: AttemptRef, signal: AbortSignal): Promise<void> {
  const subject = await on.record.inOrganization(ref.orgId, (tx) => beginIngest(tx, ref.versionId));
  if (subject === null || subject.attempt !== ref.attempt || subject.sha256 !== null) return;
  if ((await on.store.head(subject.blobKey)) === null) return;
  const sha256 = await hashBlob(on.store, subject.blobKey, signal);
  await on.record.inOrganization(ref.orgId, (tx) => noteDigest(tx, ref, sha256));
}

/** @returns the SHA-256 of a blob in hex */
export async function hashBlob(store: Pick<BlobStore, 'readRange'>, key: string, signal: AbortSignal): Promise<string> {
  const digest = createHash('sha256');
  for await (const bytes of await store.readRange(key)) {
    signal.throwIfAborted();
    digest.update(bytes as Buffer);
  }
  return digest.digest('hex');
}
