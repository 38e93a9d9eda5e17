import type { JailLimit, ParseFailure } from '../../domain/page-model.js';

/**
 * What a jailed parser and its caller say to each other. One program serves calls about one document, one after the other, until its standard
 * input ends:
 *
 * - It finds the document read-only at {@link INSIDE}`.document`, without its name; `/tmp` is its own, empty, and gone with it. Debian's
 *   programs stand in `/usr/bin`; the packages that its entry in `parser-programs.ts` names stand in `node_modules` beside it.
 * - A request is one JSON object in a line of standard input, so that a password stands on no command line.
 * - It answers in lines of JSON on standard output: `{"item": …}` for each result, as soon as it has it (a page, say: the caller keeps
 *   what came before a failure), and last of all either `{"done": true}` or `{"failure": …}`. With
 *   a failure it ends.
 *   Words of a page are lists (packed-page.ts).
 * - Everything else is `crashed`, or the limit by which it was killed. What it writes to standard error is kept for the log of a crash and
 *   must not quote the document.
 *
 * A program is a file `programs/<name>/main.ts` that calls `serve` (programs/serve.ts); the build bundles it into one file.
 */
export const INSIDE = {
  document: '/input/document',
  node: '/opt/docsvc/node',
  programs: '/opt/docsvc/programs',
  packages: '/opt/docsvc/node_modules',
  scratch: '/tmp',
} as const;

/** Limits by which the jail ends a program. */
export const SANDBOX_LIMITS: readonly JailLimit[] = [
  'wall_time',
  'cpu_time',
  'memory',
  'processes',
  'open_files',
  'written_bytes',
  'output',
];

/** Limits on the document itself, which a program finds: fewer pages at a time change nothing. */
export const DOCUMENT_LIMITS: readonly JailLimit[] = [
  'pages',
  'objects',
  'inflated_bytes',
  'filter_layers',
  'entries',
  'entry_bytes',
  'archive_bytes',
  'compression_ratio',
  'nested_archive',
  'entities',
  'pixels',
  'frames',
  'cells',
  'line_bytes',
];

export type ParserLine = { item: unknown } | { done: true } | { failure: ParseFailure };

/** True for a failure that fewer pages at a time may not meet; the other limits are on the document itself. */
export function mayPassInParts(failure: ParseFailure): boolean {
  return failure.kind === 'crashed' || (failure.kind === 'limit' && SANDBOX_LIMITS.includes(failure.limit));
}

/** What a caller gets: all items that came whole, and the failure that ended the program, if one did. */
export interface ParserOutcome<T> {
  items: T[];
  failure: ParseFailure | null;
}
