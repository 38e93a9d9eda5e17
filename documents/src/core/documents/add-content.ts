import type { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../../src/domain/json.js';
import { DocsvcError } from '../../domain/errors.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { originalKey } from '../../platform/blobs/blob-store.js';
import type { RecordTransaction } from '../record/record.js';
import type { UploadPlace } from '../uploads/upload-place.js';
import { addVersion, type VersionPlace } from './add-version.js';

/** Largest file that is taken in one request. */
export const MAX_ONE_SHOT_BYTES = 32 * 1024 * 1024;

/** A file that comes whole in one request. */
export interface OneShot {
  orgId: string;
  projectId: string;
  name: string;
  body: Readable;
  contentType: string | null;
  metadata: JsonObject;
  labels: string[];
}

/**
 * Takes in a whole file: its bytes are durable before its version is.
 *
 * @param alongside runs in the transaction that makes the version
 * @throws DocsvcError `too_large` above 32 MiB, `invalid_request` for an empty one or a name that none is, `quota_exceeded`
 */
export async function addContent(
  { record, store, quotas }: UploadPlace,
  { orgId, name, body, ...rest }: OneShot,
  alongside: (tx: RecordTransaction, made: VersionPlace) => Promise<void>,
): Promise<VersionPlace> {
  const normalized = normalizeName(name);
  const id = uuidv7();
  const { sizeBytes } = await store.put(originalKey(id), body, MAX_ONE_SHOT_BYTES);
  try {
    if (sizeBytes === 0)
      throw new DocsvcError('invalid_request', 'the file is empty; a document has at least one byte');
    return await record.inOrganization(orgId, async (tx) => {
      const made = await addVersion(
        tx,
        {
          id,
          projectId: rest.projectId,
          name: normalized,
          blobKey: originalKey(id),
          contentType: rest.contentType,
          sizeBytes,
          declaredSha256: null,
          metadata: rest.metadata,
          labels: rest.labels,
        },
        quotas,
      );
      await alongside(tx, made);
      return made;
    });
  } catch (error) {
    await store.deleteOwner(id);
    throw error;
  }
}
