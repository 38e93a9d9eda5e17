import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import type { PageSpan } from '../domain/ingest/page-spans.js';
import type { PARSED_KINDS } from '../domain/page-model.js';

/** One attempt to read a version, as steps and histories know it: ids, words of closed sets and numbers, never what a document says. */
export interface AttemptRef {
  orgId: string;
  versionId: string;
  attempt: number;
}

/** What the parsers are told; it decides which earlier parse of the same bytes may be used again. */
export interface ReadOptions {
  ocrMode: 'auto' | 'off' | 'force';
  ocrLanguages: string[];
}

/** What is being read. */
export interface ParseRef extends AttemptRef {
  parseId: string;
  kind: (typeof PARSED_KINDS)[number];
  options: ReadOptions;
  /** Null where it is known only after reading. */
  pageCount: number | null;
}

/** What checking the bytes came to. */
export type Validated =
  | { next: 'leave' }
  | { next: 'end'; ending: IngestEnding }
  | { next: 'use'; parseId: string }
  | { next: 'read'; parse: ParseRef };

/** How far a span was read. */
export interface SpanRead {
  /** Pages before the failure, or all. */
  read: number;
  /** The document has no page behind these. */
  isOver: boolean;
  /** Null where all of the span was read. */
  failure: { code: string; inParts: boolean } | null;
  /** Pages that have to be recognized. */
  recognize: number[];
  /** The whole version is given up. */
  ending: IngestEnding | null;
}

/** Short steps, on the queue of the workflows. */
export interface IngestSteps {
  /** Null when there is nothing to do. */
  beginIngest(ref: { orgId: string; subjectId: string }): Promise<AttemptRef | null>;
  validateVersion(ref: AttemptRef): Promise<Validated>;
  /** Puts a page on the list of those that could not be read. */
  failPage(parse: ParseRef, pageNumber: number, code: string): Promise<void>;
  joinTables(parse: ParseRef): Promise<void>;
  indexVersion(parse: ParseRef): Promise<void>;
  /** @param ending what ended it early; without one the record says how it went */
  finishVersion(ref: AttemptRef, parseId: string | null, ending: IngestEnding | null): Promise<void>;
}

/** Steps that run a parser, on a queue whose slots are bounded by memory. */
export interface ParseSteps {
  readSpan(parse: ParseRef, span: PageSpan): Promise<SpanRead>;
}

/** Recognition, on a queue with a slot for each core. */
export interface RecognitionSteps {
  /** @returns why the page stays without its recognized text; null when it has it */
  recognizePage(parse: ParseRef, pageNumber: number): Promise<{ code: string } | null>;
}
