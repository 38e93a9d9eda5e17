const SENTENCES = {
  document_gone: 'The document was deleted.',
  version_unreadable: 'The version of the document has no pages that could be read.',
  timeout_waiting: 'The version of the document was still being read after an hour. Retry the run once it is ready.',
  timeout_run: 'The run did not end within a day. Retry it.',
  timeout_item: 'The document took more time than a document of its length may. Name a pageRange, or a smaller schema.',
  memory_limit: 'The document took more memory than a document may. Name a pageRange, or a smaller schema.',
  no_pages: 'The document has no page in the pageRange that could be read.',
  extraction_crashed: 'A fault of the service ended the extraction of this document; the log of the worker tells more.',
  internal: 'A fault of the service kept the document from being extracted. Retry the run.',
} as const;

/** Why a document of a run came to nothing: closed words, so that they may stand in a history. */
export type RunErrorCode = keyof typeof SENTENCES;

/** Why a document, or a whole run, came to nothing, as clients are told. */
export interface RunError {
  code: RunErrorCode;
  message: string;
}

export function runError(code: RunErrorCode): RunError {
  return { code, message: SENTENCES[code] };
}
