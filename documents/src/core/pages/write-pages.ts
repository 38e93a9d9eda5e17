import type { Page, Table } from '../../domain/page-model.js';
import { bytesOfTable } from '../../domain/tables/table-parts.js';
import type { IngestAttempt } from '../ingest/ingest-moves.js';
import { statementsOf } from '../record/statement-rows.js';
import type { RecordTransaction } from '../record/record.js';

/**
 * Writes pages as their parser read them, and counts the progress of the version. Writing them again is the same.
 *
 * @param places where the details of each page are, in their order
 * @returns false when the parse is not being made any more
 */
export async function writePages(
  tx: RecordTransaction,
  at: IngestAttempt,
  parseId: string,
  pages: readonly Page[],
  places: readonly string[],
): Promise<boolean> {
  const rows = pages.map((page, index) => ({
    page_number: page.pageNumber,
    width: page.width,
    height: page.height,
    unit: page.unit,
    rotation: page.rotation,
    label: page.label ?? null,
    sheet_name: page.sheetName ?? null,
    text: page.text,
    source: page.source,
    ocr_confidence: page.ocrConfidence,
    words_key: places[index] ?? null,
    table_count: page.tables.length,
  }));
  let written = true;
  for await (const statement of statementsOf(rows)) {
    const [row] = await tx.query<{ written: boolean }>('select docsvc_write_pages($1, $2, $3, $4) as written', [
      at.versionId,
      at.attempt,
      parseId,
      statement,
    ]);
    written = row?.written === true;
  }
  return written;
}

/** What an empty place of the grid takes in an answer. */
const PLACE_BYTES = 3;

/** The row of a table as {@link writeTables} takes it. @param tableNumber from 1 on, in the order of the pages */
export function tableRow(tableNumber: number, table: Table): object {
  return {
    table_number: tableNumber,
    first_page: table.firstPage,
    last_page: table.lastPage,
    size_bytes: bytesOfTable(table) + table.rows * table.columns * PLACE_BYTES,
    content: table,
  };
}

/** Writing them again is the same. @param rows some of {@link tableRow}, as `statementsOf` has them */
export async function writeTables(tx: RecordTransaction, parseId: string, rows: string): Promise<void> {
  await tx.query('select docsvc_write_tables($1, $2)', [parseId, rows]);
}
