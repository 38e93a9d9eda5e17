import { right, unionOf } from '../layout/text-run.js';
import { toFractions } from '../layout/assemble-text.js';
import type { Box, Page, Table, TableCell } from '../page-model.js';

/** A cell whose text is not yet put together. Rows and columns are indexes into the edges of its grid. */
export interface GridCell {
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  box: Box;
  words: readonly TableWord[];
}

/** A word of a page in units of the page, in the page's reading order. */
export interface TableWord {
  text: string;
  box: Box;
  bold: boolean;
}

/** A stretch of a line without a wide gap. */
export interface Segment {
  box: Box;
  words: readonly TableWord[];
}

/** What a table is found in: everything in units of the page, measured by the height of its text. */
export interface TableGround {
  page: Page;
  words: readonly TableWord[];
  /** Indexes of the words of each line, from the top down. */
  lines: readonly (readonly TableWord[])[];
  /** Height of the text that is most usual on the page. */
  em: number;
}

export function groundOf(page: Page): TableGround {
  const { width, height } = page;
  const words = page.words.map(({ text, box, bold }): TableWord => {
    const placed: Box = [box[0] * width, box[1] * height, box[2] * width, box[3] * height];
    return { text, box: placed, bold: bold === true };
  });
  const heights = words.map((word) => word.box[3]).sort((a, b) => a - b);
  return {
    page,
    words,
    lines: page.lines.map((line) => words.slice(line.first, line.last + 1)),
    em: heights[Math.floor(heights.length / 2)] ?? 1,
  };
}

export const textOf = (words: readonly TableWord[]): string => words.map((word) => word.text).join(' ');

/** Makes the table of a page from its cells; those without a word are left out of `cells`, not out of the grid. */
export function tableOf(
  { page }: TableGround,
  cells: readonly GridCell[],
  { columns, rows, box, found }: { columns: number; rows: number; box: Box; found: 'ruled' | 'aligned' },
): Table {
  const fraction = (place: Box): Box => toFractions(place, page.width, page.height);
  const filled = cells.filter((cell) => cell.words.length > 0);
  return {
    firstPage: page.pageNumber,
    lastPage: page.pageNumber,
    columns,
    headerRows: countHeaderRows(filled, rows),
    rows,
    cells: filled
      .map(({ words, box: place, ...at }): TableCell => ({
        ...at,
        text: textOf(words),
        pageNumber: page.pageNumber,
        box: fraction(place),
      }))
      .sort((a, b) => a.row - b.row || a.column - b.column),
    boxes: [{ pageNumber: page.pageNumber, box: fraction(box) }],
    found,
  };
}

const MAX_HEADER_ROWS = 4;

/**
 * How many rows name the columns. Where columns hold numbers, those before the first row of numbers; else the first row, where it alone is bold or
 * has a text over every column. Cells that stretch over columns belong to the header above the row that they stretch over.
 */
function countHeaderRows(cells: readonly GridCell[], rows: number): number {
  if (rows < 2) return 0;
  const byRow = new Map<number, GridCell[]>();
  for (const cell of cells) byRow.set(cell.row, [...(byRow.get(cell.row) ?? []), cell]);
  const valuesOf = (row: number) => (byRow.get(row) ?? []).filter((cell) => cell.column > 0);
  const isOfNumbers = (row: number) => {
    const values = valuesOf(row);
    return values.length > 0 && values.filter((cell) => isNumber(textOf(cell.words))).length * 2 >= values.length;
  };
  const numbers = Array.from({ length: rows }, (_, row) => isOfNumbers(row));
  if (numbers.filter(Boolean).length >= rows / 3) {
    const first = numbers.indexOf(true);
    return first <= MAX_HEADER_ROWS ? first : 0;
  }
  const isBold = (row: number) => (byRow.get(row) ?? []).every((cell) => cell.words.every((word) => word.bold));
  if ((byRow.get(0)?.length ?? 0) === 0) return 0;
  const width = Math.max(...[...byRow.values()].map((row) => row.length));
  if (isBold(0) && !isBold(1)) return 1;
  return (byRow.get(0)?.length ?? 0) >= Math.max(2, width) ? 1 : 0;
}

/** Numbers, amounts, percentages and what stands for none; years alone name a column. */
export function isNumber(text: string): boolean {
  if (/^(19|20)\d\d$/.test(text)) return false;
  return /^[-–—]$/.test(text) || (/\d/.test(text) && /^[^\p{L}]*(\p{L}{1,3}\.?)?[^\p{L}]*$/u.test(text));
}

/** The box of some words, and of nothing where there are none. */
export const boxOfWords = (words: readonly TableWord[]): Box | null =>
  words.length === 0 ? null : unionOf(words.map((word) => word.box));

export const centerOf = (box: Box): readonly [number, number] => [box[0] + box[2] / 2, box[1] + box[3] / 2];

export const overlap = (a: readonly [number, number], b: Box): number =>
  Math.min(a[1], right(b)) - Math.max(a[0], b[0]);
