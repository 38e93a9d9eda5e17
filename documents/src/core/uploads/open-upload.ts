import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../../src/domain/json.js';
import { normalizeName } from '../../domain/names/normalize-name.js';
import { planParts, type PartPlan } from '../../domain/uploads/part-plan.js';
import { quotaExceeded } from '../documents/quota-exceeded.js';
import { changedNothing } from '../record/changed-nothing.js';
import type { RecordTransaction } from '../record/record.js';
import type { DocumentPlace } from '../documents/document-place.js';
import { UPLOAD_TTL_SECS } from './upload-ttl.js';

/** What a client says of a file before it sends it. */
export interface NewUpload {
  orgId: string;
  projectId: string;
  clientId: string;
  name: string;
  sizeBytes: number;
  partSizeBytes?: number | undefined;
  contentType: string | null;
  sha256: Buffer | null;
  metadata: JsonObject;
  labels: string[];
}

/**
 * Begins an upload. Its room is made before its row, so that no row lacks room; room without a row is swept.
 *
 * @param alongside runs in the transaction of the row, once it is there
 * @throws DocsvcError `too_large`, `invalid_request`, `quota_exceeded`
 */
export async function openUpload<T>(
  { record, store, quotas }: DocumentPlace,
  asked: NewUpload,
  alongside: (tx: RecordTransaction, uploadId: string) => Promise<T>,
): Promise<T> {
  const plan = planParts(asked.sizeBytes, asked.partSizeBytes);
  const named = { ...asked, name: normalizeName(asked.name) };
  const id = uuidv7();
  await store.beginUpload(id, plan.sizeBytes);
  try {
    return await record.inOrganization(asked.orgId, async (tx) => {
      const refused = await insertUpload(tx, id, named, plan, quotas);
      if (refused !== null) throw quotaExceeded(refused, quotas);
      return alongside(tx, id);
    });
  } catch (error) {
    if (changedNothing(error)) await store.abortUpload(id);
    throw error;
  }
}

async function insertUpload(
  tx: RecordTransaction,
  id: string,
  asked: NewUpload,
  plan: PartPlan,
  quotas: DocumentPlace['quotas'],
): Promise<string | null> {
  const [answer] = await tx.query<{ refused: string | null }>(
    'select * from docsvc_open_upload($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
    [
      id,
      asked.projectId,
      asked.clientId,
      asked.name,
      plan.sizeBytes,
      plan.partSizeBytes,
      plan.partCount,
      asked.contentType,
      asked.sha256,
      asked.metadata,
      asked.labels,
      UPLOAD_TTL_SECS,
      quotas.openUploads,
      quotas.storageBytes,
    ],
  );
  return answer?.refused ?? null;
}
