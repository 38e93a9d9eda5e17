import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { overLimit, refusal } from '../serve.js';
import { delimiterOf } from '../text/delimiter.js';
import { decodeFile, encodingOf, readSample, settleEncoding } from '../text/encoding.js';
import type { Sheet } from './sheet.js';
import { SheetCells } from './sheet.js';

const MAX_RECORD = 1024 * 1024;
const NUMBER = /^[-+(]?[$€£¥]?\s?\d[\d.,' ]*%?\)?$/;

/** The one sheet of a table in text form. */
export async function readDelimited(path: string): Promise<Sheet> {
  const sample = readSample(path);
  const beginning = encodingOf(sample);
  if (beginning === null) throw refusal('broken', 'the file holds bytes that no text has');
  const encoding = await settleEncoding(path, beginning);
  const text = new TextDecoder(encoding).decode(sample);
  const delimiter = delimiterOf(text) ?? (text.includes('\t') ? '\t' : ',');
  const read = (quote: '"' | false): Promise<SheetCells> =>
    readCells(() => decodeFile(path, encoding), delimiter, quote);
  const cells = await read('"').catch((error: unknown) => {
    // A quotation mark that nothing closes is a sign like any other.
    if (isRecordError(error)) return read(false);
    throw error;
  });
  return {
    ...{ name: 'Sheet1', cells: cells.cells, merges: [], hidden: { sheet: false, rows: [], columns: [] } },
    ...{ uncalculated: 0, leftOut: cells.isFull ? null : 0, isLayoutKnown: true },
  };
}

async function readCells(
  pieces: () => AsyncGenerator<string>,
  delimiter: string,
  quote: '"' | false,
): Promise<SheetCells> {
  const options = { delimiter, quote, relax_quotes: true, relax_column_count: true, max_record_size: MAX_RECORD };
  const records = Readable.from(pieces()).pipe(parse(options));
  const cells = new SheetCells();
  let row = 0;
  try {
    for await (const fields of records as AsyncIterable<string[]>) {
      fields.forEach((text, column) => cells.add({ row, column, text, isNumber: NUMBER.test(text.trim()) }));
      row++;
      if (cells.isFull) break;
    }
  } catch (error) {
    if (quote === false && isRecordError(error))
      throw overLimit('line_bytes', `a row is longer than ${MAX_RECORD} characters`);
    throw error;
  }
  return cells;
}

function isRecordError(error: unknown): boolean {
  return error instanceof CsvError && ['CSV_MAX_RECORD_SIZE', 'CSV_QUOTE_NOT_CLOSED'].includes(error.code);
}
