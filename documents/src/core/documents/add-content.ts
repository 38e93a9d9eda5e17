import type { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../../src/domain/json.js';
import { DocsvcError } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { originalKey, type BlobStore } from '../../platform/blobs/blob-store.js';
import { changedNothing } from '../record/changed-nothing.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentPlace } from './document-place.js';
import { addVersion } from './add-version.js';
import type { VersionPlace } from './version-place.js';

/** Largest file that is taken in one request. */
export const MAX_ONE_SHOT_BYTES = 32 * 1024 * 1024;

/** Bytes that are durable, under the id of the version to be. */
export interface KeptContent {
  versionId: string;
  sizeBytes: number;
  sha256: Buffer;
}

/** What is said of them. */
export interface ContentDetails {
  orgId: string;
  projectId: string;
  name: string;
  contentType: string | null;
  metadata: JsonObject;
  labels: string[];
}

/** Takes in the bytes of a whole file. @throws DocsvcError `too_large` above 32 MiB, `invalid_request` when they break off */
export async function keepContent(store: BlobStore, body: Readable): Promise<KeptContent> {
  const versionId = uuidv7();
  return { versionId, ...(await store.put(originalKey(versionId), body, MAX_ONE_SHOT_BYTES)) };
}

/** Gives back the room of bytes that come to no version. */
export async function dropContent(store: BlobStore, { versionId }: KeptContent): Promise<void> {
  await store.deleteOwner(versionId);
}

/**
 * Makes a version of bytes that were kept; when it does not come to that they are dropped again.
 *
 * @param describe says what they are, and may refuse
 * @param alongside runs in the transaction that makes the version
 * @throws DocsvcError `invalid_request` for an empty file or a name that is not allowed, `quota_exceeded`
 */
export async function addKeptContent(
  { record, store, quotas }: DocumentPlace,
  kept: KeptContent,
  describe: () => ContentDetails,
  alongside: (tx: RecordTransaction, made: VersionPlace) => Promise<void>,
): Promise<VersionPlace> {
  const { versionId, sizeBytes } = kept;
  try {
    if (sizeBytes === 0)
      throw new DocsvcError('invalid_request', 'the file is empty; a document has at least one byte');
    const { orgId, name, ...details } = describe();
    const version = {
      ...details,
      id: versionId,
      name: normalizeName(name),
      blobKey: originalKey(versionId),
      sizeBytes,
      declaredSha256: null,
    };
    return await record.inOrganization(orgId, async (tx) => {
      const made = await addVersion(tx, version, quotas);
      await alongside(tx, made);
      return made;
    });
  } catch (error) {
    if (changedNothing(error)) await dropContent(store, kept);
    throw error;
  }
}
