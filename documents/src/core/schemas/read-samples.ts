import { SheetChoice } from '../../domain/schemas/sheets/sheet-choice.js';
import type { SheetTable } from '../../domain/schemas/sheets/sheet-columns.js';
import { invalidMember } from '../../domain/errors.js';
import { listPages, listTables, readableVersion } from '../pages/read-version.js';
import type { RecordTransaction } from '../record/record.js';

const MIB = 1024 * 1024;
/** Of a sample; what it is called stands on its first pages. */
const SAMPLE_PAGES = 10;
const SAMPLE_BYTES = MIB;
const TABLES_AT_ONCE = 50;
const TABLE_BYTES = 16 * MIB;

/** What the first pages of a document say. @throws DocsvcError why it has no pages */
export async function readSample(tx: RecordTransaction, documentId: string): Promise<string> {
  const { parseId } = await readableVersion(tx, documentId, null);
  const { rows } = await listPages(tx, parseId, { after: 0, limit: SAMPLE_PAGES, bytes: SAMPLE_BYTES });
  return rows.map(({ text }) => text).join('\n');
}

/**
 * The largest table of a sheet; without a name, of the first sheet that has one.
 *
 * @throws DocsvcError `invalid_request` for a document without such a sheet, or why it has no pages
 */
export async function readSheet(
  tx: RecordTransaction,
  documentId: string,
  sheetName: string | undefined,
): Promise<SheetTable> {
  const { parseId } = await readableVersion(tx, documentId, null);
  const choice = new SheetChoice(sheetName);
  for (let after = 0, hasNext = true; hasNext;) {
    const found = await listTables(tx, parseId, { after, limit: TABLES_AT_ONCE, bytes: TABLE_BYTES, page: null });
    for (const { content } of found.rows) choice.consider(content);
    after = found.rows.at(-1)?.table_number ?? after;
    ({ hasNext } = found);
  }
  if (choice.best !== null) return choice.best;
  if (sheetName !== undefined) throw invalidMember('sheetName', 'is no sheet of the document that has a table');
  throw invalidMember('documentId', 'is no spreadsheet with a table');
}
