import { readFileSync } from 'node:fs';
import type { CellObject, Range, WorkBook } from '@e965/xlsx';
import { read, SSF } from '@e965/xlsx';
import { refusal } from '../serve.js';
import { dateText, numberText } from './cell-text.js';
import type { CellRange, Sheet } from './sheet.js';
import { SheetCells } from './sheet.js';

/** The part of the library that knows number formats; its types do not. */
const formats = SSF as {
  is_date: (format: string) => boolean;
  parse_date_code: (
    serial: number,
    options: { date1904: boolean },
  ) => { y: number; m: number; d: number; H: number; M: number; S: number } | null;
};

/** What is used of a sheet. A row, or a cell, that is not there is undefined. */
interface WorkSheet {
  '!data'?: ((CellObject | undefined)[] | undefined)[];
  '!merges'?: Range[];
  '!rows'?: Hideable[];
  '!cols'?: Hideable[];
}

type Hideable = { hidden?: boolean } | undefined;

export interface OpenOptions {
  /** Those that are read, from 0; null for the names of all alone. */
  sheets: number[] | null;
  password: string | undefined;
  /** Hidden rows and columns are told with the styles; without any the library fails slowly at each cell. */
  hasStyles: boolean;
}

/** The workbook of a file. */
export function openWorkbook(path: string, { sheets, password, hasStyles }: OpenOptions): WorkBook {
  try {
    return read(readFileSync(path), {
      ...{ type: 'buffer', dense: true, cellHTML: false, cellNF: true, cellStyles: hasStyles },
      ...(sheets === null ? { bookSheets: true } : { sheets }),
      ...(password === undefined ? {} : { password }),
    });
  } catch (error) {
    const said = error instanceof Error ? error.message : '';
    if (/password|encrypt/i.test(said)) throw refusal('password_required', 'the workbook is encrypted');
    if (error instanceof RangeError) throw error;
    throw refusal('broken', 'the workbook cannot be opened: it is damaged or of another kind');
  }
}

/** One sheet, with the results that the file keeps: no formula is calculated. */
export function sheetOf(workbook: WorkBook, index: number): Sheet {
  const name = workbook.SheetNames[index] ?? '';
  const sheet = workbook.Sheets[name] as WorkSheet | undefined;
  const isDate1904 = workbook.Workbook?.WBProps?.date1904 === true;
  const cells = new SheetCells();
  let uncalculated = 0;
  sheet?.['!data']?.forEach((row, at) =>
    row?.forEach((cell, column) => {
      if (cell === undefined) return;
      if (cell.f !== undefined && cell.v === undefined) uncalculated++;
      cells.add({ row: at, column, text: textOf(cell, isDate1904), isNumber: cell.t === 'n' || cell.t === 'd' });
    }),
  );
  return {
    ...{ name, cells: cells.cells, leftOut: cells.leftOut, uncalculated, isLayoutKnown: true },
    merges: (sheet?.['!merges'] ?? []).map(rangeOf),
    hidden: {
      sheet: (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0,
      rows: indexesOf(sheet?.['!rows']),
      columns: indexesOf(sheet?.['!cols']),
    },
  };
}

/** A cell as it is shown, but dates as ISO 8601 writes them, and whole numbers with all their digits. */
function textOf(cell: CellObject, isDate1904: boolean): string {
  const { v: value, t: type, z: format, w: shown } = cell;
  if (value === undefined) return '';
  if (value instanceof Date) return dateText(value);
  if (type !== 'n' || typeof value !== 'number') return shown ?? String(value);
  const date = format !== undefined && formats.is_date(String(format)) ? dateOfSerial(value, isDate1904) : null;
  return date === null ? numberText(value, format?.toString(), shown) : dateText(date, value < 1);
}

/** Days since the epoch of the workbook. Null for what no calendar has. */
function dateOfSerial(serial: number, isDate1904: boolean): Date | null {
  const code = formats.parse_date_code(serial, { date1904: isDate1904 });
  if (code === null) return null;
  const date = new Date(Date.UTC(code.y, code.m - 1, code.d, code.H, code.M, Math.round(code.S)));
  return Number.isNaN(date.getTime()) ? null : date;
}

function rangeOf({ s: start, e: end }: Range): CellRange {
  return { top: start.r, left: start.c, bottom: end.r, right: end.c };
}

function indexesOf(list: readonly Hideable[] | undefined): number[] {
  const found: number[] = [];
  list?.forEach((one, index) => {
    if (one?.hidden === true) found.push(index);
  });
  return found;
}
