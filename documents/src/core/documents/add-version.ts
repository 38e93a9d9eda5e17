import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../../src/domain/json.js';
import { DocsvcError } from '../../domain/errors.js';
import type { QuotaConfig } from '../../platform/config/limits.config.js';
import type { RecordTransaction } from '../record/record.js';
import { announceVersion } from './announce-version.js';
import { quotaExceeded } from './quota-exceeded.js';
import type { VersionPlace } from './version-place.js';

/** The bytes of a version that are in the store already, under the id that the version gets. */
export interface NewVersion {
  id: string;
  projectId: string;
  /** Normalized. */
  name: string;
  blobKey: string;
  contentType: string | null;
  sizeBytes: number;
  declaredSha256: Buffer | null;
  /** Where its bytes were hashed before. */
  sha256?: Buffer | null;
  metadata: JsonObject;
  labels: string[];
}

/**
 * Makes a version of the document of this name, and the document where there is none (DI-009); tells those who listen, and wakes whoever
 * reads it.
 *
 * @throws DocsvcError `quota_exceeded`
 */
export async function addVersion(
  tx: RecordTransaction,
  made: NewVersion,
  quotas: Pick<QuotaConfig, 'documents' | 'storageBytes'>,
): Promise<VersionPlace> {
  const [row] = await tx.query<{ document_id: string; version: number; refused: string | null }>(
    'select * from docsvc_add_version($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
    [
      made.id,
      uuidv7(),
      made.projectId,
      made.name,
      made.blobKey,
      made.contentType,
      made.sizeBytes,
      made.declaredSha256,
      made.sha256 ?? null,
      made.metadata,
      made.labels,
      quotas.documents,
      quotas.storageBytes,
    ],
  );
  if (row === undefined) throw new DocsvcError('internal', 'the database made no version');
  if (row.refused !== null) throw quotaExceeded(row.refused, quotas);
  const place = {
    documentId: row.document_id,
    versionId: made.id,
    version: row.version,
    projectId: made.projectId,
  };
  await announceVersion(tx, place);
  return place;
}
