import type { Box, Table, TableCell, Word } from '../page-model.js';
import type { TextRange } from './chunk-page.js';

/** Rows of a table that are found together, with its header, on the page on which they are. */
export interface TableChunk extends TextRange {
  pageNumber: number;
  body: string;
  /** Such as `A2:F26`, of sheets alone. */
  cellRange: string | null;
}

const ROWS = 25;

/**
 * Cuts a table into its header and up to 25 rows each, never across pages.
 *
 * @param wordsOf the words of one of its pages, by which rows get their place in the text of that page
 */
export function chunkTable(table: Table, wordsOf: (pageNumber: number) => readonly Word[]): TableChunk[] {
  const rows = [...Map.groupBy(table.cells, ({ row }) => row)].sort(([a], [b]) => a - b);
  const header = rows.filter(([row]) => row < table.headerRows).map(([, cells]) => lineOf(cells));
  const body = rows.filter(([row]) => row >= table.headerRows).map(([, cells]) => cells);
  const ofPage = Map.groupBy(body.length === 0 ? rows.map(([, cells]) => cells) : body, pageOf);
  return [...ofPage].flatMap(([pageNumber, pageRows]) => {
    const words = wordsOf(pageNumber);
    return inGroups(pageRows).map((group) => {
      const cells = group.flat();
      return {
        pageNumber,
        ...placeOf(cells, words),
        body: [...(body.length === 0 ? [] : header), ...group.map(lineOf)].join('\n'),
        cellRange: cellRangeOf(cells),
      };
    });
  });
}

const pageOf = (cells: TableCell[]): number => cells[0]?.pageNumber ?? 0;

const lineOf = (cells: TableCell[]): string =>
  cells
    .toSorted((a, b) => a.column - b.column)
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(' | ');

function inGroups(rows: TableCell[][]): TableCell[][][] {
  const groups: TableCell[][][] = [];
  for (let at = 0; at < rows.length; at += ROWS) groups.push(rows.slice(at, at + ROWS));
  return groups;
}

/** From the first to the last word that stands in one of the cells; empty where none does. */
function placeOf(cells: readonly TableCell[], words: readonly Word[]): TextRange {
  const addresses = new Set(cells.flatMap(({ cell }) => (cell === undefined ? [] : [cell])));
  const around = surround(cells);
  const inside = words.filter(({ cell, box }) =>
    addresses.size > 0 ? cell !== undefined && addresses.has(cell) : hasMiddle(around, box),
  );
  const from = inside.reduce((least, word) => Math.min(least, word.from), Infinity);
  return from === Infinity ? { from: 0, to: 0 } : { from, to: Math.max(...inside.map(({ to }) => to)) };
}

function surround(cells: readonly TableCell[]): Box {
  let [left, top, right, bottom] = [1, 1, 0, 0];
  for (const { box } of cells) {
    const [x, y, width, height] = box;
    [left, top] = [Math.min(left, x), Math.min(top, y)];
    [right, bottom] = [Math.max(right, x + width), Math.max(bottom, y + height)];
  }
  return [left, top, right - left, bottom - top];
}

function hasMiddle([left, top, width, height]: Box, [x, y, w, h]: Box): boolean {
  const [middleX, middleY] = [x + w / 2, y + h / 2];
  return middleX >= left && middleX <= left + width && middleY >= top && middleY <= top + height;
}

function cellRangeOf(cells: readonly TableCell[]): string | null {
  const addresses = cells.flatMap(({ cell }) => (cell === undefined ? [] : [cell]));
  const [first] = addresses;
  const last = addresses.at(-1);
  return first === undefined || last === undefined ? null : `${first}:${last}`;
}
