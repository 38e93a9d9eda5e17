import { bottom, right } from '../layout/text-run.js';
import type { Box } from '../page-model.js';
import { boxOfWords, centerOf, type GridCell, type TableGround, type TableWord } from './grid.js';

/** How far a header stands above its lines at most, in heights of a text. */
const NEAREST = 1.2;
/** Gap between the texts of two columns at least: words of prose stand closer. */
const BETWEEN = 0.8;

/**
 * The names of the columns that stand right above the ruling lines of a table, as cells of a row; empty where there are none. Each has to stand
 * over its column, and every column needs one but the first, over names of rows.
 *
 * @param xs edges of the columns
 * @param top upper edge of the ruling lines
 * @param others boxes of the other tables within ruling lines, whose last rows name nothing
 */
export function headerAbove(
  { lines, em }: TableGround,
  xs: readonly number[],
  top: number,
  others: readonly Box[],
): GridCell[] {
  const line = lines.find((words) => isRightAbove(words, top, em));
  if (line === undefined || others.some((box) => line.some((word) => isInside(word, box)))) return [];
  const columns = xs.slice(1).map((to, column) => line.filter(({ box }) => isBetween(box, xs[column] ?? 0, to, em)));
  if (columns.flat().length < line.length) return [];
  const filled = columns.flatMap((words, column) => {
    const place = boxOfWords(words);
    return place === null ? [] : [{ words, column, place }];
  });
  if (filled.length < 2 || columns.slice(1).some((words) => words.length === 0)) return [];
  const places = filled.map(({ place }) => place);
  if (places.some((box, at) => at > 0 && box[0] - right(places[at - 1] ?? box) < em * BETWEEN)) return [];
  const from = Math.min(...places.map((box) => box[1]));
  return filled.map(({ words, column }) => {
    const box: Box = [xs[column] ?? 0, from, (xs[column + 1] ?? 0) - (xs[column] ?? 0), top - from];
    return { row: 0, column, rowSpan: 1, columnSpan: 1, box, words };
  });
}

function isRightAbove(words: readonly TableWord[], top: number, em: number): boolean {
  const box = boxOfWords(words);
  return box !== null && bottom(box) <= top + em * 0.3 && top - bottom(box) <= em * NEAREST;
}

/** By what rounding and slanted scans cost, a text may leave its column. */
function isBetween(box: Box, from: number, to: number, em: number): boolean {
  return box[0] >= from - em * 0.3 && right(box) <= to + em * 0.3;
}

function isInside({ box }: TableWord, around: Box): boolean {
  const [x, y] = centerOf(box);
  return x >= around[0] && x <= right(around) && y >= around[1] && y <= bottom(around);
}
