import type { BlobStore } from '../../platform/blobs/blob-store.js';
import type { QuotaConfig } from '../../platform/config/limits.config.js';
import type { Record } from '../record/record.js';

/** Where documents are kept: their rows, their bytes, and what organizations may have of both. */
export interface DocumentPlace {
  record: Record;
  store: BlobStore;
  quotas: Pick<QuotaConfig, 'openUploads' | 'storageBytes' | 'documents'>;
}
