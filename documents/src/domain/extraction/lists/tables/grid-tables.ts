import type { Page, Table, TableCell } from '../../../page-model.js';
import type { Reading, Scope, WordRange } from '../../model/reading.js';
import type { FoundCell, FoundRow, FoundTable, TableBlock } from './found-table.js';
import type { HeaderSense } from './header-sense.js';
import { headerWords } from './header-words.js';

/** Of the height of a page: cells are looked up by the stretches that they lie in. */
const STRETCHES = 128;
/** Rows among which the names of columns are, where the table does not say which they are. */
const FIRST_ROWS = 4;

/** The tables of a part of a document whose cells are known: those within ruling lines, and sheets. */
export function gridTables(reading: Reading, scope: Scope, sense: HeaderSense): FoundTable[] {
  return reading.tables.flatMap((table) => {
    if (table.found === 'aligned') return [];
    const rows = rowsOf(table, reading).filter(({ from, to }) => from >= scope.from && to <= scope.to);
    if (rows.length < 2) return [];
    const count = headerRowsOf(table, rows, sense);
    const key = `${scope.from} ${scope.to} ${count}`;
    const known = tablesKnown.get(table) ?? new Map<string, FoundTable>();
    tablesKnown.set(table, known);
    const found = known.get(key) ?? foundTable(table, { rows, count }, scope, reading);
    known.set(key, found);
    return [found];
  });
}

/** By scope and number of header rows: for every list the same. */
const tablesKnown = new WeakMap<Table, Map<string, FoundTable>>();

/** @param count rows that are header */
function foundTable(
  table: Table,
  { rows, count }: { rows: readonly FoundRow[]; count: number },
  scope: Scope,
  reading: Reading,
): FoundTable {
  const columns = Array.from({ length: table.columns }, (_, column) => {
    const said = rows.slice(0, count).flatMap(({ cells }) => cells.filter((cell) => cell.column === column));
    const header = said.map(({ text }) => text).join(' ');
    return { header, words: headerWords(header) };
  });
  const body = rows.slice(count);
  const pages = [...Map.groupBy(body, ({ pageNumber }) => pageNumber)];
  const blocks = pages.map(([pageNumber, inside], at): TableBlock => {
    const first = (at === 0 ? rows : inside).reduce((least, { from }) => Math.min(least, from), Infinity);
    const start = Math.max(scope.from, linesOfPage(reading, pageNumber).from);
    return { pageNumber, rows: inside, above: { from: Math.min(start, first), to: first } };
  });
  return { found: table.found === 'sheet' ? 'sheet' : 'ruled', columns, blocks };
}

/** As many as the table says; where it says none, up to the first row that names two leaves. */
function headerRowsOf({ headerRows, found }: Table, rows: readonly FoundRow[], sense: HeaderSense): number {
  const names = (row: FoundRow): number =>
    wordsOfCells(row).filter((words) => sense.mayName(words) && Math.max(...sense.of(words)) >= 0.5).length;
  if (headerRows > 0 && (found === 'sheet' || rows.slice(0, headerRows).some((row) => names(row) > 0))) {
    return Math.min(headerRows, rows.length - 1);
  }
  const at = rows.slice(0, FIRST_ROWS).findIndex((row) => names(row) >= 2);
  return at >= 0 ? at + 1 : headerRows;
}

const wordsKnown = new WeakMap<FoundRow, string[][]>();

/** For every list the same. */
function wordsOfCells(row: FoundRow): string[][] {
  let words = wordsKnown.get(row);
  if (words === undefined) wordsKnown.set(row, (words = row.cells.map(({ text }) => headerWords(text))));
  return words;
}

const rowsKnown = new WeakMap<Table, FoundRow[]>();

/** The rows of a table with the words of their cells. */
function rowsOf(table: Table, reading: Reading): FoundRow[] {
  let rows = rowsKnown.get(table);
  if (rows === undefined) rowsKnown.set(table, (rows = readRows(table, reading)));
  return rows;
}

function readRows(table: Table, reading: Reading): FoundRow[] {
  const read = new Set(reading.pages.map(({ pageNumber }) => pageNumber));
  const rows = new Map<number, FoundRow>();
  for (const [pageNumber, cells] of Map.groupBy(table.cells, (cell) => cell.pageNumber)) {
    if (!read.has(pageNumber)) continue;
    const page = reading.page(pageNumber);
    const found = page.unit === 'cell' ? wordsByAddress(page, cells) : wordsByPlace(page, cells);
    for (const [cell, words] of found) addCell(rows, cell, words, page, reading);
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
}

function addCell(
  rows: Map<number, FoundRow>,
  cell: TableCell,
  words: readonly number[],
  page: Page,
  reading: Reading,
): void {
  if (words.length === 0) return;
  const ranges = rangesOf(page, words);
  const lines = ranges.map(({ line }) => linesOfPage(reading, page.pageNumber).from + line);
  const found: FoundCell = {
    column: cell.column,
    ranges: ranges.map(({ line: _, ...range }) => range),
    text: words.map((at) => page.words[at]?.text ?? '').join(' '),
  };
  const [top, bottom] = [cell.box[1] * page.height, (cell.box[1] + cell.box[3]) * page.height];
  const bold = words.every((at) => page.words[at]?.bold === true);
  const row = rows.get(cell.row);
  if (row === undefined) {
    const height = (page.words[words[0] ?? 0]?.box[3] ?? 0) * page.height;
    const place = {
      pageNumber: page.pageNumber,
      top,
      bottom,
      height,
      from: Math.min(...lines),
      to: Math.max(...lines) + 1,
    };
    rows.set(cell.row, { ...place, cells: [found], bold, isWide: cell.columnSpan > 1, isOdd: false });
    return;
  }
  row.cells.push(found);
  row.cells.sort((a, b) => a.column - b.column);
  row.from = Math.min(row.from, ...lines);
  row.to = Math.max(row.to, Math.max(...lines) + 1);
  row.top = Math.min(row.top, top);
  row.bottom = Math.max(row.bottom, bottom);
  row.bold &&= bold;
  row.isWide ||= cell.columnSpan > 1;
}

function wordsByAddress(page: Page, cells: readonly TableCell[]): [TableCell, number[]][] {
  const byAddress = new Map<string, number[]>();
  page.words.forEach(({ cell }, at) => {
    if (cell === undefined) return;
    const words = byAddress.get(cell);
    if (words === undefined) byAddress.set(cell, [at]);
    else words.push(at);
  });
  return cells.map((cell) => [cell, byAddress.get(cell.cell ?? '') ?? []]);
}

function wordsByPlace(page: Page, cells: readonly TableCell[]): [TableCell, number[]][] {
  const found = cells.map((cell): [TableCell, number[]] => [cell, []]);
  const stretches = new Map<number, [TableCell, number[]][]>();
  for (const entry of found) {
    const [{ box }] = entry;
    for (let at = Math.floor(box[1] * STRETCHES); at <= Math.floor((box[1] + box[3]) * STRETCHES); at++) {
      stretches.set(at, [...(stretches.get(at) ?? []), entry]);
    }
  }
  page.words.forEach(({ box }, at) => {
    const [x, y] = [box[0] + box[2] / 2, box[1] + box[3] / 2];
    const entry = stretches.get(Math.floor(y * STRETCHES))?.find(([cell]) => isInside(x, y, cell));
    entry?.[1].push(at);
  });
  return found;
}

function isInside(x: number, y: number, { box }: TableCell): boolean {
  return x >= box[0] && x <= box[0] + box[2] && y >= box[1] && y <= box[1] + box[3];
}

/** Words beside each other on one line are one range. */
function rangesOf(page: Page, words: readonly number[]): (WordRange & { line: number })[] {
  const ranges: (WordRange & { line: number })[] = [];
  const lineOf = lineNumbers(page);
  for (const at of words) {
    const last = ranges.at(-1);
    const line = lineOf[at] ?? 0;
    if (last !== undefined && last.last === at - 1 && last.line === line) last.last = at;
    else ranges.push({ pageNumber: page.pageNumber, first: at, last: at, line });
  }
  return ranges;
}

const numbered = new WeakMap<Page, number[]>();

/** On which of the lines of its page each word stands. */
function lineNumbers(page: Page): number[] {
  let numbers = numbered.get(page);
  if (numbers === undefined) {
    numbers = [];
    for (const [line, { first, last }] of page.lines.entries())
      for (let at = first; at <= last; at++) numbers[at] = line;
    numbered.set(page, numbers);
  }
  return numbers;
}

const starts = new WeakMap<Reading, ReadonlyMap<number, Scope>>();

/** The lines of a page. */
export function linesOfPage(reading: Reading, pageNumber: number): Scope {
  let known = starts.get(reading);
  if (known === undefined) {
    const scopes = new Map<number, Scope>();
    let from = 0;
    for (const page of reading.pages) {
      scopes.set(page.pageNumber, { from, to: from + page.lines.length });
      from += page.lines.length;
    }
    starts.set(reading, (known = scopes));
  }
  return known.get(pageNumber) ?? { from: 0, to: 0 };
}
