import type { Table, TableCell } from '../page-model.js';
import { MAX_CHUNK, type TextRange } from './chunk-page.js';
import type { PageWords } from './page-words.js';

/** Rows of a table that are found together, with its header, on the page on which they are. */
export interface TableChunk extends TextRange {
  pageNumber: number;
  body: string;
  /** Such as `A2:F26`, of sheets alone. */
  cellRange: string | null;
}

/** What a table has on one of its pages: never do rows of two pages make one chunk. */
export interface TableOnPage {
  pageNumber: number;
  /** The header as text, empty where the table has none. */
  header: string;
  rows: TableCell[][];
  /** All that are there, those of the header included. */
  cells: TableCell[];
}

const ROWS = 25;
const MAX_HEADER = MAX_CHUNK / 4;
const MAX_LINE = MAX_CHUNK - MAX_HEADER - 1;

/** A table page by page. One that is all header has it as its rows. */
export function tableByPage(table: Table): TableOnPage[] {
  const rows = [...Map.groupBy(table.cells, ({ row }) => row)].sort(([a], [b]) => a - b);
  const body = rows.filter(([row]) => row >= table.headerRows).map(([, cells]) => cells);
  const header = body.length === 0 ? [] : rows.filter(([row]) => row < table.headerRows);
  const text = header
    .map(([, cells]) => lineOf(cells))
    .join('\n')
    .slice(0, MAX_HEADER);
  const ofPage = Map.groupBy(body.length === 0 ? rows.map(([, cells]) => cells) : body, pageOf);
  const cellsOn = Map.groupBy(table.cells, (cell) => cell.pageNumber);
  return [...ofPage].map(([pageNumber, pageRows]) => ({
    ...{ pageNumber, header: text, rows: pageRows },
    cells: cellsOn.get(pageNumber) ?? [],
  }));
}

/**
 * Cuts a table on a page into its header and up to 25 rows each, fewer where they are long. A row that is too long for one chunk goes on in the next.
 *
 * @param words of the page, by which rows get their place in its text
 */
export function* chunkTable({ pageNumber, header, rows }: TableOnPage, words: PageWords): Generator<TableChunk> {
  for (const { lines, cells } of groupsOf(rows)) {
    const body = [...(header === '' ? [] : [header]), ...lines].join('\n');
    yield { pageNumber, ...words.placeOf(cells), body, cellRange: cellRangeOf(cells) };
  }
}

interface Group {
  lines: string[];
  cells: TableCell[];
}

function* groupsOf(rows: TableCell[][]): Generator<Group> {
  let group: Group = { lines: [], cells: [] };
  let length = 0;
  for (const cells of rows) {
    for (const line of piecesOf(lineOf(cells))) {
      if (group.lines.length === ROWS || (length > 0 && length + line.length > MAX_LINE)) {
        yield group;
        group = { lines: [], cells: [] };
        length = 0;
      }
      group.lines.push(line);
      if (group.cells.at(-1) !== cells.at(-1)) group.cells.push(...cells);
      length += line.length + 1;
    }
  }
  if (group.lines.length > 0) yield group;
}

/** A line in parts that a chunk can hold, cut at a blank where there is one. */
function piecesOf(line: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < line.length;) {
    const blank = line.length - from <= MAX_LINE ? line.length : line.lastIndexOf(' ', from + MAX_LINE);
    const to = blank > from ? blank : from + MAX_LINE;
    pieces.push(line.slice(from, to));
    from = to;
  }
  return pieces;
}

const pageOf = (cells: TableCell[]): number => cells[0]?.pageNumber ?? 0;

const lineOf = (cells: TableCell[]): string =>
  cells
    .toSorted((a, b) => a.column - b.column)
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' | ');

function cellRangeOf(cells: readonly TableCell[]): string | null {
  const addresses = cells.flatMap(({ cell }) => (cell === undefined ? [] : [cell]));
  const [first] = addresses;
  const last = addresses.at(-1);
  return first === undefined || last === undefined ? null : `${first}:${last}`;
}
