import type { Page, Table } from '../../domain/page-model.js';
import type { IngestAttempt } from '../ingest/ingest-moves.js';
import type { RecordTransaction } from '../record/record.js';

/**
 * Writes pages as their parser read them, all in one statement, and counts the progress of the version. Writing them again is the same.
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
    label: storable(page.label ?? null),
    sheet_name: storable(page.sheetName ?? null),
    text: storable(page.text),
    source: page.source,
    ocr_confidence: page.ocrConfidence,
    words_key: places[index] ?? null,
    table_count: page.tables.length,
  }));
  const [row] = await tx.query<{ written: boolean }>('select docsvc_write_pages($1, $2, $3, $4) as written', [
    at.versionId,
    at.attempt,
    parseId,
    JSON.stringify(rows),
  ]);
  return row?.written === true;
}

/** Numbers are given from 1 on, in the order of the pages. */
export async function writeTables(
  tx: RecordTransaction,
  parseId: string,
  tables: readonly Table[],
  firstNumber: number,
): Promise<void> {
  const rows = tables.map((table, index) => ({
    table_number: firstNumber + index,
    first_page: table.firstPage,
    last_page: table.lastPage,
    content: table,
  }));
  // In JSON a NUL is an escape.
  const json = JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'string' ? storable(value) : value));
  await tx.query('select docsvc_write_tables($1, $2)', [parseId, json]);
}

/** PostgreSQL takes neither NUL nor half a surrogate pair; what stands for them is as long, so that places in the text stay right. */
function storable<T extends string | null>(text: T): T {
  return (text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD')) as T;
}
