import { vectorOf } from '../../domain/search/chunk-vector.js';
import type { RecordTransaction } from '../record/record.js';
import { statementsOf } from '../record/statement-rows.js';

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

/**
 * Stores chunks of a parse with what they are found by. One that is there already stays as it is, so this may be repeated. They are asked for as
 * they are needed.
 */
export async function writeChunks(tx: RecordTransaction, parseId: string, chunks: Iterable<Chunk>): Promise<void> {
  for await (const statement of statementsOf(rowsOf(chunks)))
    await tx.query('select docsvc_write_chunks($1, $2)', [parseId, statement]);
}

function* rowsOf(chunks: Iterable<Chunk>): Generator<object> {
  for (const chunk of chunks) yield { ...chunk, ...vectorOf(chunk.body) };
}

/** Adds the words of a parse to its project's lexicon; once, in the transaction that ends the parse. */
export async function countWords(tx: RecordTransaction, parseId: string): Promise<void> {
  await tx.query('select docsvc_count_words($1, 1)', [parseId]);
}
