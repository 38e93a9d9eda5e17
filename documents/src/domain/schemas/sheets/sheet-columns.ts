import type { Table, TableCell } from '../../page-model.js';

/** A table of a sheet, as it is read. */
export type SheetTable = Pick<Table, 'columns' | 'rows' | 'headerRows' | 'cells' | 'sheetName'>;

export interface SheetColumn {
  /** Its header, that of several rows in one; empty for none. */
  header: string;
  /** Values from the top, empty ones as empty texts. */
  values: string[];
}

/**
 * The columns of a table with their headers.
 *
 * @param headerRow row of the sheet, from 1, in which the header ends; null where the table says it
 */
export function columnsOf(table: SheetTable, headerRow: number | null): SheetColumn[] {
  const cells = [...table.cells].sort((a, b) => a.row - b.row || a.column - b.column);
  const first = cells[0]?.row ?? 0;
  const end = headerRow === null ? headerEnd(table, cells) : rowBehind(cells, headerRow);
  const begin = headerRow === null ? first : Math.max(first, end - 1);
  return Array.from({ length: table.columns }, (_, column) => ({
    header: headerOf(cells, column, begin, end),
    values: valuesOf(cells, column, end, table.rows),
  }));
}

/** The row behind the header; a table that names none has one where its first row is words alone. */
function headerEnd({ headerRows }: SheetTable, cells: readonly TableCell[]): number {
  if (headerRows > 0) return headerRows;
  const top = cells.filter(({ row }) => row === (cells[0]?.row ?? 0));
  return top.length > 0 && top.every(({ text }) => !/\d/.test(text)) ? (cells[0]?.row ?? 0) + 1 : 0;
}

/** Cells know their place in the sheet, `C7`, and in the table. */
function rowBehind(cells: readonly TableCell[], headerRow: number): number {
  const inRow = cells.find(({ cell }) => Number(/\d+$/.exec(cell ?? '')?.[0]) === headerRow);
  return inRow === undefined ? 0 : inRow.row + 1;
}

/** Titles over several columns come before those under them: `Address` over `City` is `Address City`. */
function headerOf(cells: readonly TableCell[], column: number, begin: number, end: number): string {
  const parts = cells
    .filter((cell) => cell.row >= begin && cell.row < end && covers(cell, column))
    .map(({ text }) => text.trim())
    .filter((text) => text !== '');
  return parts.filter((text, at) => parts.indexOf(text) === at).join(' ');
}

function valuesOf(cells: readonly TableCell[], column: number, from: number, rows: number): string[] {
  const values = new Map(
    cells.filter((cell) => cell.row >= from && cell.column === column).map(({ row, text }) => [row, text.trim()]),
  );
  return Array.from({ length: Math.max(0, rows - from) }, (_, at) => values.get(from + at) ?? '');
}

function covers({ column: left, columnSpan }: TableCell, column: number): boolean {
  return left <= column && column < left + columnSpan;
}
