import type { Readable } from 'node:stream';
import type { PartRange } from '../../domain/uploads/part-plan.js';

/** What is kept under a key. */
export interface BlobHead {
  sizeBytes: number;
}

/** What was written, as it was counted and hashed on the way. */
export interface WrittenBlob {
  sizeBytes: number;
  sha256: Buffer;
}

/** Something in the store, with the id of the row that it belongs to. */
export interface KeptOwner {
  ownerId: string;
  changedAt: Date;
}

/**
 * Where the bytes of documents are. A key is the id of the row that owns it and a name of ours, `<id>/original`, never what a user
 * called something. Uploads are named by the id of their session.
 */
export interface BlobStore {
  /** `direct`: parts come to the API; `presigned`: they go to the store itself. */
  readonly transport: 'direct' | 'presigned';

  /** Makes room for an upload of this size; again is success. */
  beginUpload(uploadId: string, sizeBytes: number): Promise<void>;

  /**
   * Streams one part to its place. It is durable, bytes and size, when this resolves. The body is left open when it is refused.
   *
   * @returns its SHA-256
   * @throws DocsvcError `invalid_request` for a body that is longer or shorter than the part, `not_found` when the upload is gone,
   * `request_timeout` when nothing comes, `unavailable` when the disk is full
   */
  putPart(uploadId: string, range: PartRange, body: Readable): Promise<Buffer>;

  /**
   * Makes the whole upload the blob of a key, without copying it, in the place of one that was there; again is success. From then on
   * nothing writes to these bytes any more, whatever other keys they have.
   */
  completeUpload(uploadId: string, key: string): Promise<void>;

  /** Makes an upload again of a copy of a blob, so that parts can be replaced; the blob stays. Again is success, and copies nothing. */
  reopenUpload(uploadId: string, key: string): Promise<void>;

  /** Gives an upload's room back; gone already is success. */
  abortUpload(uploadId: string): Promise<void>;

  /**
   * Writes a blob whole or not at all.
   *
   * @throws DocsvcError `too_large` past the limit, and what {@link putPart} throws for bodies that break off
   */
  put(key: string, body: Readable, maxBytes: number): Promise<WrittenBlob>;

  /** Gives a blob a second key; each is deleted on its own. */
  copy(from: string, to: string): Promise<void>;

  /** Null where there is no such blob. */
  head(key: string): Promise<BlobHead | null>;

  /** The bytes of a range, or all. @throws DocsvcError `not_found` where there is no such blob */
  readRange(key: string, range?: PartRange): Promise<Readable>;

  /** A file with the blob's bytes, for programs that take a path. It must not be changed. */
  localFile(key: string): Promise<string>;

  /** Deletes all that belongs to an id; gone already is success. */
  deleteOwner(ownerId: string): Promise<void>;

  /** Ids of the rows that blobs belong to. */
  owners(): AsyncIterable<KeptOwner>;

  /** Ids of the sessions whose uploads have room. */
  uploads(): AsyncIterable<KeptOwner>;

  /** Removes what processes that died were writing, older than a time. */
  sweepIncoming(before: Date): Promise<void>;
}

/** The key under which a version keeps the bytes that were uploaded. */
export function originalKey(versionId: string): string {
  return `${versionId}/original`;
}
