import type { JailLimit, ParseFailure } from '../page-model.js';

/** How an ingest ends, and why. The reason is a closed word, so that it may stand in a history; its sentence is for people. */
export interface IngestEnding {
  status: 'stored' | 'failed' | 'quarantined';
  code: IngestErrorCode;
}

/** Of a version, and of its upload, whose bytes do not have the digest that the client stated. */
export const CHECKSUM_MISMATCH = 'checksum_mismatch';

const SENTENCES = {
  [CHECKSUM_MISMATCH]:
    'The bytes are not those that the client declared: their SHA-256 differs. Upload the file again.',
  too_large_to_read:
    'The file is larger than the service reads (DOCSVC_MAX_PARSE_BYTES). It is kept and can be downloaded.',
  type_not_readable: 'The file is of a type that the service does not read. It is kept and can be downloaded.',
  password_required: 'The document is encrypted. Reprocess it with its password.',
  broken: 'The document is damaged: it could not be opened. Repair it and upload it again.',
  no_page_read: 'Not one page of the document could be read.',
  too_many_pages: 'The document has more pages than the service reads (20,000). Split it and upload its parts.',
  limit_exceeded:
    'The document asks for more than a document may take, as decompression bombs do. It is not opened again.',
  time_limit: 'Reading the document lost more than 30 seconds to pages that reached a limit. It is not opened again.',
  quota_exceeded:
    'The organization has read all pages of this month that its quota allows. Reprocess the document next month.',
  blob_missing: 'The bytes of the document are not in the store. Upload the file again.',
  timeout_validate: 'Checking the bytes did not end within a day. Reprocess the document.',
  timeout_parse: 'Reading the pages did not end within seven days. Reprocess the document.',
  timeout_index: 'Indexing did not end within a day. Reprocess the document.',
  index_failed:
    'Making the document searchable failed again and again. Reprocess it, or split it and upload its parts; the log of the worker tells more.',
  internal: 'A fault of the service kept the document from being read. Reprocess it; the log of the worker tells more.',
} as const;

export type IngestErrorCode = keyof typeof SENTENCES;

export function sentenceOf(code: IngestErrorCode): string {
  return SENTENCES[code];
}

/** Of a failure that no part of the document would escape. */
export function endingOf(failure: ParseFailure): IngestEnding {
  switch (failure.kind) {
    case 'limit':
      return endingOfLimit(failure.limit);
    case 'password_required':
      return { status: 'failed', code: 'password_required' };
    case 'unsupported':
      return { status: 'stored', code: 'type_not_readable' };
    case 'broken':
    case 'crashed':
      return { status: 'failed', code: 'broken' };
  }
}

/** Too many pages is no fault of a document; whatever else it exceeds only a bomb would. */
function endingOfLimit(limit: JailLimit): IngestEnding {
  return limit === 'pages'
    ? { status: 'failed', code: 'too_many_pages' }
    : { status: 'quarantined', code: 'limit_exceeded' };
}
