import { vectorOf } from '../../domain/search/chunk-vector.js';
import type { RecordTransaction } from '../record/record.js';

/** A stretch of a page that is found as one. */
export interface Chunk {
  /** From 1 within the parse. */
  chunkNumber: number;
  pageNumber: number;
  /** Place in the page's text, `charsTo` exclusive. */
  charsFrom: number;
  charsTo: number;
  /** Such as `A2:F26`, of sheets alone. */
  cellRange: string | null;
  /** ISO 639-1; any other word where it is not known. */
  language: string;
  body: string;
}

/** Stores chunks of a parse with what they are found by. One that is there already stays as it is, so this may be repeated. */
export async function writeChunks(tx: RecordTransaction, parseId: string, chunks: readonly Chunk[]): Promise<void> {
  const rows = chunks.map((chunk) => ({ ...chunk, body: storable(chunk.body), ...vectorOf(chunk.body) }));
  await tx.query('select docsvc_write_chunks($1, $2)', [parseId, JSON.stringify(rows)]);
}

/** PostgreSQL takes neither NUL nor half a surrogate pair; what stands for them is as long, so that places in the text stay right. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Adds the words of a parse to its project's lexicon; once, in the transaction that ends the parse. */
export async function countWords(tx: RecordTransaction, parseId: string): Promise<void> {
  await tx.query('select docsvc_count_words($1, 1)', [parseId]);
}
