import type { PasswordDesk } from '../core/ingest/password-desk.js';
import type { IngestTiming } from './ingest-steps.js';
import type { Record } from '../core/record/record.js';
import type { BlobStore } from '../platform/blobs/blob-store.js';
import type { DocumentReader } from '../platform/parsing/document-reader.js';

/** What the steps of an ingest work with. */
export interface IngestDependencies {
  record: Record;
  store: BlobStore;
  reader: DocumentReader;
  passwords: Pick<PasswordDesk, 'find' | 'forget'>;
  maxParseBytes: number;
  pagesPerMonth: number;
  /** Whether the namespace knows the search attributes of workflows. */
  isFindable: boolean;
  timing: IngestTiming;
}
