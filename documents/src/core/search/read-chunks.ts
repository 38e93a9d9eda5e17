import type { Page } from '../../domain/page-model.js';
import type { RecordTransaction } from '../record/record.js';
import type { Match } from './match-chunks.js';

/** A chunk as it is shown, with its page. */
export interface ShownChunk {
  parse_id: string;
  chunk_number: number;
  /** Place of `body` in the page's text. */
  chars_from: number;
  body: string;
  cell_range: string | null;
  label: string | null;
  width: number;
  height: number;
  unit: Page['unit'];
  rotation: Page['rotation'];
  sheet_name: string | null;
  source: Page['source'];
  words_key: string | null;
}

/** The chunks of matches, in their order. */
export async function readChunks(tx: RecordTransaction, matches: readonly Match[]): Promise<ShownChunk[]> {
  const rows = await tx.query<ShownChunk>('select * from docsvc_read_chunks($1, $2)', [
    matches.map((match) => match.parse_id),
    matches.map((match) => match.chunk_number),
  ]);
  const byKey = new Map(rows.map((row) => [`${row.parse_id} ${row.chunk_number}`, row]));
  return matches.flatMap((match) => byKey.get(`${match.parse_id} ${match.chunk_number}`) ?? []);
}
