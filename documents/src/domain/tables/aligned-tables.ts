import { bottom, median, right, sharedHeight, unionOf } from '../layout/text-run.js';
import type { Table } from '../page-model.js';
import { alignedRows, type AlignedRow, cellsOfRows } from './aligned-rows.js';
import { boxOfWords, type Segment, tableOf, type TableGround, type TableWord } from './grid.js';

/** Words farther apart than this, in heights of the text, stand in two columns. */
const COLUMN_GAP = 0.6;
/** Lines farther apart than this, in heights of the text, are of two tables. */
const LINE_GAP = 2.2;
const MIN_ROWS = 3;
/** Words of a cell that is no prose. */
const SHORT_TEXT = 4;
/** So many lines of one text each may stand between those of several: a title of a group, the second line of a long text. */
const MAX_SINGLE_LINES = 2;

/** Tables without lines around their cells: rows whose texts stand under each other with the same gaps between. */
export function alignedTables(ground: TableGround, ruled: readonly Table[]): Table[] {
  const lines = segmentedLines(ground).filter((line) => !ruled.some((table) => isInside(line, table, ground)));
  return blocks(lines, ground.em).flatMap((block) => tableOfBlock(block, ground) ?? []);
}

/** Lines from the top down, those beside each other in columns made one, each in its segments. */
function segmentedLines({ lines, em }: TableGround): Segment[][] {
  const segments = lines.flatMap((line) => split(line, em * COLUMN_GAP));
  const rows: Segment[][] = [];
  for (const segment of segments.sort(
    (a, b) => a.box[1] + a.box[3] / 2 - b.box[1] - b.box[3] / 2 || a.box[0] - b.box[0],
  )) {
    const row = rows
      .slice(-3)
      .findLast((candidate) => candidate[0] !== undefined && sharedHeight(candidate[0].box, segment.box) >= 0.5);
    if (row === undefined) rows.push([segment]);
    else row.push(segment);
  }
  return rows.map((row) => row.sort((a, b) => a.box[0] - b.box[0]));
}

function split(line: readonly TableWord[], gap: number): Segment[] {
  const parts: TableWord[][] = [];
  for (const word of [...line].sort((a, b) => a.box[0] - b.box[0])) {
    const last = parts.at(-1)?.at(-1);
    if (last === undefined || word.box[0] - right(last.box) > gap) parts.push([word]);
    else parts.at(-1)?.push(word);
  }
  return parts.map((words) => ({ words, box: unionOf(words.map((word) => word.box)) }));
}

function isInside(line: readonly Segment[], table: Table, { page }: TableGround): boolean {
  const [x, y, width, height] = table.boxes[0]?.box ?? [0, 0, 0, 0];
  const box = unionOf(line.map((segment) => segment.box));
  const [middleX, middleY] = [(box[0] + box[2] / 2) / page.width, (box[1] + box[3] / 2) / page.height];
  return middleY > y && middleY < y + height && middleX > x && middleX < x + width;
}

/** Stretches of lines that may be one table. They begin and end with a line of several texts, or one line before. */
function blocks(lines: readonly Segment[][], em: number): Segment[][][] {
  const found: Segment[][][] = [];
  let block: Segment[][] = [];
  let singles = 0;
  const close = (): void => {
    while ((block.at(-1)?.length ?? 2) < 2) block.pop();
    if (block.filter((line) => line.length >= 2).length >= MIN_ROWS) found.push(block);
    block = [];
    singles = 0;
  };
  for (const line of lines) {
    const above = block.at(-1);
    if (above !== undefined && topOf(line) - lowestOf(above) > em * LINE_GAP) close();
    singles = line.length >= 2 ? 0 : singles + 1;
    if (singles > MAX_SINGLE_LINES) close();
    if (line.length >= 2 || block.length > 0) block.push(line);
  }
  close();
  return found;
}

const topOf = (line: readonly Segment[]): number => Math.min(...line.map((segment) => segment.box[1]));
const lowestOf = (line: readonly Segment[]): number => Math.max(...line.map((segment) => bottom(segment.box)));

function tableOfBlock(block: readonly Segment[][], ground: TableGround): Table | null {
  const columns = columnsOf(block, ground.em);
  if (columns.length < 2) return null;
  const rows = alignedRows(block, columns);
  if (!isTable(rows, columns.length)) return null;
  const words = block.flat().flatMap((segment) => segment.words);
  const box = boxOfWords(words);
  if (box === null) return null;
  return tableOf(ground, cellsOfRows(rows, columns), {
    columns: columns.length,
    rows: rows.length,
    box,
    found: 'aligned',
  });
}

/** Where columns are: between stretches over which next to no text of a line of several lies. */
function columnsOf(block: readonly Segment[][], em: number): [number, number][] {
  const several = block.filter((line) => line.length >= 2);
  const events = several
    .flat()
    .flatMap((segment): [number, number][] => [
      [segment.box[0], 1],
      [right(segment.box), -1],
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const few = Math.floor(several.length * 0.12);
  const columns: [number, number][] = [];
  let [over, start] = [0, 0];
  for (const [place, step] of events) {
    const before = over;
    over += step;
    if (before <= few && over > few) start = place;
    if (before > few && over <= few) columns.push([start, place]);
  }
  const joined: [number, number][] = [];
  for (const column of columns) {
    const last = joined.at(-1);
    if (last !== undefined && column[0] - last[1] < em * 0.3) last[1] = column[1];
    else joined.push([...column]);
  }
  return joined;
}

/** Prose in columns is none: rows of a table fill more than one column, and one column at least holds short texts. */
function isTable(rows: readonly AlignedRow[], columns: number): boolean {
  const filled = rows.map((row) => new Set(row.cells.map((cell) => cell.column)).size);
  const several = filled.filter((count) => count >= 2).length;
  const words = Array.from({ length: columns }, (_, column) =>
    rows.flatMap((row) => row.cells.filter((cell) => cell.column === column).map((cell) => cell.words.length)),
  );
  const shortest = Math.min(...words.filter((counts) => counts.length >= MIN_ROWS).map(median));
  return several >= MIN_ROWS && several >= rows.length * 0.5 && shortest <= SHORT_TEXT;
}
