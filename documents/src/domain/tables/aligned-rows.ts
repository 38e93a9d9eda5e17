import { bottom, right, unionOf } from '../layout/text-run.js';
import { type GridCell, overlap, type Segment, type TableWord } from './grid.js';

/** A row of a table that is found by alignment, of one line or of several. */
export interface AlignedRow {
  top: number;
  bottom: number;
  cells: { column: number; columnSpan: number; words: TableWord[] }[];
}

/** The rows of a block of lines. A line without a text in the first column goes on with the row above, where that has one and it is near. */
export function alignedRows(
  block: readonly (readonly Segment[])[],
  columns: readonly (readonly [number, number])[],
): AlignedRow[] {
  const rows: AlignedRow[] = [];
  for (const line of block) {
    const cells = line.map((segment) => ({ ...placeOf(segment, columns), words: [...segment.words] }));
    const box = unionOf(line.map((segment) => segment.box));
    const above = rows.at(-1);
    if (above !== undefined && goesOn(above, cells, box[1], box[3])) {
      for (const cell of cells) {
        const same = above.cells.find((candidate) => candidate.column === cell.column);
        if (same === undefined) above.cells.push(cell);
        else same.words.push(...cell.words);
      }
      above.bottom = bottom(box);
    } else rows.push({ top: box[1], bottom: bottom(box), cells: merged(cells) });
  }
  return rows;
}

/** Two segments of a line in one column are one cell. */
function merged(cells: AlignedRow['cells']): AlignedRow['cells'] {
  const own: AlignedRow['cells'] = [];
  for (const cell of cells) {
    const last = own.at(-1);
    if (last !== undefined && cell.column < last.column + last.columnSpan) {
      last.columnSpan = Math.max(last.columnSpan, cell.column + cell.columnSpan - last.column);
      last.words.push(...cell.words);
    } else own.push(cell);
  }
  return own;
}

function goesOn(above: AlignedRow, cells: AlignedRow['cells'], top: number, height: number): boolean {
  const startsRow = cells.some((cell) => cell.column === 0);
  const beginsAbove = above.cells.some((cell) => cell.column === 0);
  const isNear = top - above.bottom < height * 0.45;
  // A line with fewer texts than half of the row above is the rest of some of them; one with as many is a row of its own.
  return (
    !startsRow &&
    beginsAbove &&
    isNear &&
    cells.length * 2 <= above.cells.length &&
    cells.every((cell) => cell.columnSpan === 1)
  );
}

/** The columns over which a segment lies; the nearest, where it lies over none. */
function placeOf(
  segment: Segment,
  columns: readonly (readonly [number, number])[],
): { column: number; columnSpan: number } {
  const over = columns.flatMap((column, index) => {
    const shared = overlap(column, segment.box);
    const needed = 0.2 * Math.min(column[1] - column[0], segment.box[2]);
    return shared > needed ? [index] : [];
  });
  const [first, last] = [over[0], over.at(-1)];
  if (first !== undefined && last !== undefined) return { column: first, columnSpan: last - first + 1 };
  const center = segment.box[0] + segment.box[2] / 2;
  let nearest = 0;
  columns.forEach(([from, to], index) => {
    const [best] = [columns[nearest]];
    if (best !== undefined && distance(center, from, to) < distance(center, best[0], best[1])) nearest = index;
  });
  return { column: nearest, columnSpan: 1 };
}

const distance = (place: number, from: number, to: number): number => Math.max(0, from - place, place - to);

/** Cells of rows, each as wide as its columns reach and as high as its row. */
export function cellsOfRows(rows: readonly AlignedRow[], columns: readonly (readonly [number, number])[]): GridCell[] {
  return rows.flatMap((row, index) =>
    row.cells.map(({ column, columnSpan, words }): GridCell => {
      const text = unionOf(words.map((word) => word.box));
      const left = Math.min(columns[column]?.[0] ?? text[0], text[0]);
      const far = Math.max(columns[column + columnSpan - 1]?.[1] ?? 0, right(text));
      return {
        row: index,
        column,
        rowSpan: 1,
        columnSpan,
        words,
        box: [left, row.top, far - left, row.bottom - row.top],
      };
    }),
  );
}
