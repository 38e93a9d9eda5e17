import type { IngestEnding } from '../domain/ingest/ingest-errors.js';
import type { PageSpan } from '../domain/ingest/page-spans.js';
import type { ReadOptions } from '../domain/ingest/read-options.js';
import type { Format } from '../platform/parsing/sniff-request.js';

/** One attempt to read a version, as steps and histories know it: ids, words of closed sets and numbers, never what a document says. */
export interface AttemptRef {
  orgId: string;
  projectId: string;
  versionId: string;
  attempt: number;
  /** Whether the file is so large that hashing it is a step of its own. */
  isHashedApart: boolean;
  /** Whether the namespace knows the search attributes of the workflow. */
  isFindable: boolean;
  timing: IngestTiming;
}

/** What the deployment sets for its workflows. */
export interface IngestTiming {
  /** Silence of a step after which it is taken again. */
  heartbeatMs: number;
  workflowTaskMs: number;
}

/** What is being read. */
export interface ParseRef extends AttemptRef {
  parseId: string;
  blobKey: string;
  format: Format;
  options: ReadOptions;
  pageCount: number;
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
  /** Null where all of the span was read. */
  failure: { code: string; inParts: boolean } | null;
  /** Pages that have to be recognized. */
  recognize: number[];
  /** The whole version is given up. */
  ending: IngestEnding | null;
}

/** How recognizing a page went. */
export interface PageRecognized {
  /** Why the page stays without what its pictures say; null when it has that. */
  failure: string | null;
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

/** Hashing of large files, which takes hours for the largest, on a queue of its own. */
export interface HashSteps {
  hashVersion(ref: AttemptRef): Promise<void>;
}

/** Steps that run a parser, on a queue whose slots are bounded by memory. */
export interface ParseSteps {
  readSpan(parse: ParseRef, span: PageSpan): Promise<SpanRead>;
}

/** Recognition, on a queue with a slot for each core. */
export interface RecognitionSteps {
  recognizePage(parse: ParseRef, pageNumber: number): Promise<PageRecognized>;
}
