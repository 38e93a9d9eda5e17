import { unionOf } from '../layout/text-run.js';
import type { Box, Table } from '../page-model.js';
import { centerOf, type GridCell, tableOf, type TableGround, type TableWord } from './grid.js';
import { headerAbove } from './header-above.js';
import { edgesOf, nets, type RulingLine, type RulingLines, rulingLines } from './ruling-lines.js';

/** A net with more cells than this is a drawing. */
const MAX_CELLS = 20_000;
/** A cell of a table that holds more of the page's words than this is a frame around a page. */
const MOST_WORDS_IN_A_CELL = 0.6;

/** Tables whose cells stand between ruling lines. */
export function ruledTables(ground: TableGround): Table[] {
  const near = ground.em * 0.4;
  const all = nets(rulingLines(ground), near).map((lines): Net => {
    const [xs, ys] = [edgesOf(lines.upright, near), edgesOf(lines.level, near)];
    const box: Box = [xs[0] ?? 0, ys[0] ?? 0, (xs.at(-1) ?? 0) - (xs[0] ?? 0), (ys.at(-1) ?? 0) - (ys[0] ?? 0)];
    return { lines, xs, ys, box };
  });
  return all.flatMap((net) => {
    const others = all.filter((other) => other !== net).map(({ box }) => box);
    return tableOfNet(net, others, ground, near) ?? [];
  });
}

/** Lines that cross, and where their columns and rows begin and end. */
interface Net {
  lines: RulingLines;
  xs: number[];
  ys: number[];
  box: Box;
}

function tableOfNet(
  { lines, xs, ys, box }: Net,
  others: readonly Box[],
  ground: TableGround,
  near: number,
): Table | null {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  if (columns < 2 || rows < 2 || columns * rows > MAX_CELLS) return null;
  const cells = fill(mergedCells(lines, xs, ys, near), xs, ys, ground.words);
  const filled = cells.filter((cell) => cell.words.length > 0);
  const inside = filled.reduce((sum, cell) => sum + cell.words.length, 0);
  const fullest = Math.max(0, ...filled.map((cell) => cell.words.length));
  const isFrame = fullest > 40 && fullest > inside * MOST_WORDS_IN_A_CELL;
  if (filled.length < 4 || isFrame || new Set(filled.map((cell) => cell.column)).size < 2) return null;
  if (new Set(filled.map((cell) => cell.row)).size < 2) return null;
  const header = headerAbove(ground, xs, box[1], others);
  if (header.length === 0) return tableOf(ground, cells, { columns, rows, box, found: 'ruled' });
  const below = cells.map((cell) => ({ ...cell, row: cell.row + 1 }));
  const whole = unionOf([box, ...header.map((cell) => cell.box)]);
  return tableOf(ground, [...header, ...below], { columns, rows: rows + 1, box: whole, found: 'ruled' });
}

/** Cells between neighbouring edges, made one where no line stands between them. */
function mergedCells(net: RulingLines, xs: readonly number[], ys: readonly number[], near: number): GridCell[] {
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const taken = new Set<number>();
  const cells: GridCell[] = [];
  const mid = (edges: readonly number[], index: number) => ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  const openRight = (row: number, column: number) => !covers(net.upright, xs[column + 1] ?? 0, mid(ys, row), near);
  const openBelow = (row: number, column: number) => !covers(net.level, ys[row + 1] ?? 0, mid(xs, column), near);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (taken.has(row * columns + column)) continue;
      let columnSpan = 1;
      while (
        column + columnSpan < columns &&
        !taken.has(row * columns + column + columnSpan) &&
        openRight(row, column + columnSpan - 1)
      )
        columnSpan += 1;
      let rowSpan = 1;
      const span = Array.from({ length: columnSpan }, (_, index) => column + index);
      while (
        row + rowSpan < rows &&
        span.every((at) => openBelow(row + rowSpan - 1, at) && !taken.has((row + rowSpan) * columns + at))
      )
        rowSpan += 1;
      for (let down = 0; down < rowSpan; down += 1) for (const at of span) taken.add((row + down) * columns + at);
      const [left, top] = [xs[column] ?? 0, ys[row] ?? 0];
      const box: Box = [left, top, (xs[column + columnSpan] ?? 0) - left, (ys[row + rowSpan] ?? 0) - top];
      cells.push({ row, column, rowSpan, columnSpan, box, words: [] });
    }
  }
  return cells;
}

const covers = (lines: readonly RulingLine[], at: number, along: number, near: number): boolean =>
  lines.some((line) => Math.abs(line.at - at) <= near && line.from <= along && line.to >= along);

function fill(
  cells: readonly GridCell[],
  xs: readonly number[],
  ys: readonly number[],
  words: readonly TableWord[],
): GridCell[] {
  const columns = xs.length - 1;
  const cellAt = new Map<number, GridCell & { words: TableWord[] }>();
  const own = cells.map((cell) => ({ ...cell, words: [] as TableWord[] }));
  for (const cell of own)
    for (let down = 0; down < cell.rowSpan; down += 1)
      for (let across = 0; across < cell.columnSpan; across += 1)
        cellAt.set((cell.row + down) * columns + cell.column + across, cell);
  for (const word of words) {
    const [x, y] = centerOf(word.box);
    const [column, row] = [slotOf(xs, x), slotOf(ys, y)];
    if (column !== null && row !== null) cellAt.get(row * columns + column)?.words.push(word);
  }
  return own;
}

/** Between which two edges a place lies; null outside of all. */
function slotOf(edges: readonly number[], place: number): number | null {
  const next = edges.findIndex((edge) => edge > place);
  return next <= 0 ? null : next - 1;
}
