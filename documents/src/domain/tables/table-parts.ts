import { unionOf } from '../layout/text-run.js';
import type { Table, TableCell } from '../page-model.js';
import { isInProportion } from './proportion.js';

const MIB = 1024 * 1024;
/** Of a table as JSON: what one statement, one answer and a moment's memory can hold. */
export const MAX_TABLE_BYTES = 12 * MIB;
/** A header beyond it is not repeated. */
const MAX_HEADER_BYTES = MAX_TABLE_BYTES / 4;
const MAX_HEADER_PLACES = 16_384;
const BOX_BYTES = 128;
const FRAME_BYTES = 512;

/** Bytes of a table as JSON, a little more rather than less. */
export function bytesOfTable(table: Table): number {
  return FRAME_BYTES + table.boxes.length * BOX_BYTES + bytesOfCells(table.cells);
}

function bytesOfCells(cells: readonly TableCell[]): number {
  return cells.reduce((sum, cell) => sum + Buffer.byteLength(JSON.stringify(cell)) + 1, 0);
}

/** A table that is too large goes on in further ones, each with its header. */
export function tableParts(table: Table): Table[] {
  if (isBounded(table)) return [table];
  const head = table.cells.filter(({ row }) => row < table.headerRows);
  const repeats = bytesOfCells(head) <= MAX_HEADER_BYTES && table.headerRows * table.columns <= MAX_HEADER_PLACES;
  const header = repeats ? { rows: table.headerRows, cells: head } : { rows: 0, cells: [] };
  const body = table.cells.filter(({ row }) => row >= header.rows).sort((a, b) => a.row - b.row || a.column - b.column);
  const parts: Table[] = [];
  for (const waiting = [body]; waiting.length > 0;) {
    const cells = waiting.pop() as TableCell[];
    const part = partOf(table, header, cells);
    if (cells.length <= 1 || isBounded(part)) parts.push(part);
    else waiting.push(...halvesOf(cells).reverse());
  }
  return parts;
}

function isBounded(table: Table): boolean {
  return isInProportion(table, table.cells.length) && bytesOfTable(table) <= MAX_TABLE_BYTES;
}

/** Between two rows, the nearest to the middle; one row alone between two cells. */
function halvesOf(cells: TableCell[]): [TableCell[], TableCell[]] {
  const middle = Math.ceil(cells.length / 2);
  const row = cells[middle]?.row;
  const before = cells.findIndex((cell) => cell.row === row);
  const behind = cells.findIndex((cell) => cell.row > (row ?? Infinity));
  const cut = before > 0 ? before : behind > 0 ? behind : middle;
  return [cells.slice(0, cut), cells.slice(cut)];
}

/** Some rows of a table, below its header. */
function partOf(table: Table, header: { rows: number; cells: readonly TableCell[] }, cells: TableCell[]): Table {
  const [from, to] = [cells[0]?.row ?? 0, cells.at(-1)?.row ?? 0];
  const pages = [...Map.groupBy(cells, ({ pageNumber }) => pageNumber)].sort(([a], [b]) => a - b);
  const body = cells.map((cell) => ({ ...cell, row: cell.row - from + header.rows }));
  return {
    ...table,
    firstPage: pages[0]?.[0] ?? table.firstPage,
    lastPage: pages.at(-1)?.[0] ?? table.lastPage,
    headerRows: header.rows,
    rows: header.rows + to - from + 1,
    cells: [...header.cells, ...body],
    boxes: pages.map(([pageNumber, inside]) => ({ pageNumber, box: unionOf(inside.map(({ box }) => box)) })),
    ...(table.cellRange === undefined ? {} : { cellRange: rangeOfRows(table.cellRange, from, to) }),
  };
}

/** `A3:C7` of rows 1 to 5 of `A2:C9`. */
function rangeOfRows(range: string, from: number, to: number): string {
  const {
    left = '',
    top = '',
    right = '',
  } = /^(?<left>[A-Z]+)(?<top>\d+):(?<right>[A-Z]+)\d+$/.exec(range)?.groups ?? {};
  return left === '' ? range : `${left}${Number(top) + from}:${right}${Number(top) + to}`;
}
