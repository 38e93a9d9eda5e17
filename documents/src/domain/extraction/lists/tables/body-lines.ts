import type { Reading } from '../../model/reading.js';
import { isNumeric, type FoundCell, type FoundRow } from './found-table.js';
import type { Columns, CutPart } from './columns.js';
import { isRepeated, type PrintedLine } from './printed-lines.js';

/** So many lines that are no rows may stand between rows, and at the foot and head of a page. */
const STRANGE_LINES = 5;
const HEAD_LINES = 20;
/** Of a page, at its foot. */
const FOOT = 0.2;
/** Rows stand no farther apart than this, in heights of a word, unless they are as regular as the others. */
const FAR = 9;
/** Cells that are of another kind than their column, in a line that is a row all the same. */
const OTHER_KIND = 0.3;
const SAMPLE = 40;
/** Words that were recognized less surely cannot be read. */
const BLURRED = 0.5;
/** Between lines of one row, in heights of a word. */
const NEAR = 1.5;
/** Between a row and the foot of the page, in heights of a word. */
const APART = 2.5;

/** Kinds of the columns of a table, as far as its first rows tell. */
export class ColumnKinds {
  /** Share of numbers among the cells of each column. */
  private readonly numbers: readonly number[];

  constructor(rows: readonly FoundRow[], columns: number) {
    const sample = rows.filter(({ cells }) => cells.length >= 2).slice(0, SAMPLE);
    this.numbers = Array.from({ length: columns }, (_, column) => {
      const texts = sample.flatMap(({ cells }) => cells.filter((cell) => cell.column === column));
      return texts.length < 2 ? 0.5 : texts.filter(({ text }) => isNumeric(text)).length / texts.length;
    });
  }

  isOfNumbers(column: number): boolean {
    return (this.numbers[column] ?? 0.5) >= 0.7;
  }

  isOfTexts(column: number): boolean {
    return (this.numbers[column] ?? 0.5) <= 0.3;
  }

  fits({ cells }: FoundRow): boolean {
    if (cells.length < 2) return false;
    const others = cells.filter(({ column, text }) => {
      const share = this.numbers[column] ?? 0.5;
      return isNumeric(text) ? share <= 0.15 : share >= 0.85;
    });
    const hasNumber = cells.some(({ column, text }) => this.isOfNumbers(column) && isNumeric(text));
    return others.length <= cells.length * OTHER_KIND && (hasNumber || !this.numbers.some((share) => share >= 0.85));
  }
}

/** A line as a row by itself. */
export function rowOfLine(line: PrintedLine, columns: Columns, reading: Reading): FoundRow {
  const cut = columns.cut(line, reading);
  const { pageNumber, from, to, top, bottom, height, bold } = line;
  return {
    pageNumber,
    from,
    to,
    top,
    bottom,
    height,
    bold,
    cells: cellsOf(cut),
    isWide: cut.some((one) => one.isWide),
    isOdd: false,
  };
}

function cellsOf(cut: readonly CutPart[]): FoundCell[] {
  const cells: FoundCell[] = [];
  for (const { column, part } of cut) {
    const { pageNumber, first, last, text } = part;
    const same = cells.find((cell) => cell.column === column);
    if (same === undefined) cells.push({ column, ranges: [{ pageNumber, first, last }], text });
    else {
      const before = same.ranges.at(-1);
      if (before?.last === first - 1) before.last = last;
      else same.ranges.push({ pageNumber, first, last });
      same.text = `${same.text} ${text}`;
    }
  }
  return cells;
}

/**
 * The lines below a header that belong to its table, on its page and on those after it that go on without a header. What stands between the last
 * row of a page and the first of the next is left out.
 */
export function bodyLines(
  lines: readonly PrintedLine[],
  { from, to }: { from: number; to: number },
  columns: Columns,
  reading: Reading,
): { body: FoundRow[]; end: number } {
  const own = lines.slice(from, to);
  const rows = own.map((line) => rowOfLine(line, columns, reading));
  const sample = rows.slice(0, SAMPLE * 3).filter((_, at) => own[at] === undefined || !isRepeated(own[at], reading));
  const kinds = new ColumnKinds(sample, columns.cells.length);
  const body: FoundRow[] = [];
  let waiting: FoundRow[] = [];
  let end = from;
  for (const [at, row] of rows.entries()) {
    const above = waiting.at(-1) ?? body.at(-1);
    const isNewPage = above !== undefined && above.pageNumber !== row.pageNumber;
    if (isNewPage && !mayGoOn(body.at(-1), waiting, row, reading)) break;
    if (isNewPage) {
      body.push(...restOf(body.at(-1), waiting, reading));
      waiting = [];
    }
    row.isOdd = !kinds.fits(row);
    const isRunning = isRunningLine(own[at], row, waiting.at(-1) ?? body.at(-1), reading);
    if (!row.isOdd && !isRunning) {
      const isHead = body.at(-1)?.pageNumber !== row.pageNumber && body.length > 0;
      body.push(...(isHead ? rightAbove(waiting, row) : waiting), row);
      waiting = [];
      end = from + at + 1;
      continue;
    }
    if (isRunning) continue;
    waiting.push(row);
    const last = body.at(-1);
    const isHead = last?.pageNumber !== row.pageNumber;
    if (countStrange(waiting, columns) > (isHead ? HEAD_LINES : STRANGE_LINES) || isFar(last, row)) {
      if (!isAtFoot(row, reading) || isHead) break;
    }
  }
  return { body: [...body, ...restOf(body.at(-1), waiting, reading)], end };
}

/** A line with texts in most columns is a row of something, though of other kinds. */
function countStrange(rows: readonly FoundRow[], columns: Columns): number {
  return rows.filter(({ cells }) => cells.length * 5 < columns.cells.length * 3).length;
}

/** The rest of a wrapped row: lines of one text, each right below the one before; and rows that cannot be read. */
function restOf(last: FoundRow | undefined, rows: readonly FoundRow[], reading: Reading): FoundRow[] {
  const rest: FoundRow[] = [];
  for (const row of rows) {
    const above = rest.at(-1) ?? last;
    if (above === undefined || row.pageNumber !== above.pageNumber) break;
    if (row.cells.length !== 1 && !isBlurred(row, reading)) break;
    if (row.top - above.bottom > above.height * NEAR) break;
    rest.push(row);
  }
  return rest;
}

/** Whether most of what was recognized is signs, or was hardly recognized. */
function isBlurred({ cells }: FoundRow, reading: Reading): boolean {
  const words = cells.flatMap(({ ranges }) => ranges.flatMap((range) => reading.wordsOf(range)));
  const unsure = words.filter(({ confidence }) => confidence < BLURRED);
  const signs = words.filter(({ text }) => !/[\p{L}\p{N}]/u.test(text));
  return Math.max(unsure.length, signs.length) * 2 > words.length;
}

function mayGoOn(last: FoundRow | undefined, waiting: readonly FoundRow[], next: FoundRow, reading: Reading): boolean {
  if (last === undefined || next.pageNumber > last.pageNumber + 1 + missingBetween(reading, last.pageNumber, next)) {
    return false;
  }
  return (
    waiting.length <= STRANGE_LINES * 2 && (waiting[0] === undefined || waiting.every((row) => isLow(row, reading)))
  );
}

/** Pages that were not read between two that were. */
function missingBetween(reading: Reading, from: number, { pageNumber }: FoundRow): number {
  return reading.pages.some((page) => page.pageNumber > from && page.pageNumber < pageNumber)
    ? 0
    : pageNumber - from - 1;
}

function isLow(row: FoundRow, reading: Reading): boolean {
  return row.top > reading.page(row.pageNumber).height * (1 - FOOT * 2);
}

function isAtFoot(row: FoundRow, reading: Reading): boolean {
  return row.top > reading.page(row.pageNumber).height * (1 - FOOT);
}

/** What is printed on every page; a row or the rest of one is not, if it stands right below another. */
function isRunningLine(
  line: PrintedLine | undefined,
  row: FoundRow,
  above: FoundRow | undefined,
  reading: Reading,
): boolean {
  const isNewPage = above?.pageNumber !== row.pageNumber;
  const mayBe = row.isOdd ? row.cells.length > 1 || isApart(above, row) : !isNewPage && isApart(above, row);
  return mayBe && line !== undefined && isRepeated(line, reading);
}

/** Of the lines over the first row of a page those that are not its running head: each right above the next. */
function rightAbove(rows: readonly FoundRow[], first: FoundRow): FoundRow[] {
  const near: FoundRow[] = [];
  for (const row of rows.toReversed()) {
    if (isApart(row, near[0] ?? first)) break;
    near.unshift(row);
  }
  return near;
}

/** The foot of a page may look like a row, but stands by itself. */
function isApart(last: FoundRow | undefined, row: FoundRow): boolean {
  return last?.pageNumber !== row.pageNumber || row.top - last.bottom > last.height * APART;
}

function isFar(last: FoundRow | undefined, row: FoundRow): boolean {
  return last !== undefined && last.pageNumber === row.pageNumber && row.top - last.bottom > last.height * FAR;
}
