import { isInProportion } from '../../../../domain/tables/proportion.js';
import type { CellRange, SheetCell } from './sheet.js';

/** A table of a sheet: cells that stand together, with empty rows and columns around them. */
export interface SheetRegion {
  range: CellRange;
  headerRows: number;
  cells: SheetCell[];
}

/** A row of cells. */
interface SheetRow {
  row: number;
  cells: SheetCell[];
}

/**
 * The tables of a sheet. What has one row or one column is none, and what has few cells for its size is taken for several.
 *
 * @param widthOf columns that a cell covers
 */
export function findRegions(cells: readonly SheetCell[], widthOf: (cell: SheetCell) => number): SheetRegion[] {
  return bandsOf(rowsOf(cells)).flatMap((band) =>
    columnGroups(band, widthOf).flatMap(({ left, right }) => {
      const rows = band
        .map(({ row, cells: all }) => ({ row, cells: all.filter(({ column }) => column >= left && column <= right) }))
        .filter((row) => row.cells.length > 0);
      return inProportion({ rows, left, right }).flatMap(
        (part) => regionOf(withoutTitles(part.rows, part.right - part.left + 1), part.left, part.right) ?? [],
      );
    }),
  );
}

function rowsOf(cells: readonly SheetCell[]): SheetRow[] {
  const rows: SheetRow[] = [];
  for (const cell of cells) {
    const last = rows.at(-1);
    if (last?.row === cell.row) last.cells.push(cell);
    else rows.push({ row: cell.row, cells: [cell] });
  }
  return rows;
}

/** Rows that follow each other. */
function bandsOf(rows: SheetRow[]): SheetRow[][] {
  const bands: SheetRow[][] = [];
  for (const row of rows) {
    const band = bands.at(-1);
    if (band !== undefined && band.at(-1)?.row === row.row - 1) band.push(row);
    else bands.push([row]);
  }
  return bands;
}

/** Columns that follow each other and are not all empty. */
function columnGroups(band: SheetRow[], widthOf: (cell: SheetCell) => number): { left: number; right: number }[] {
  const used = new Set<number>();
  for (const { cells } of band) {
    for (const cell of cells) {
      for (let column = cell.column; column < cell.column + widthOf(cell); column++) used.add(column);
    }
  }
  const groups: { left: number; right: number }[] = [];
  for (const column of [...used].sort((a, b) => a - b)) {
    const group = groups.at(-1);
    if (group !== undefined && group.right === column - 1) group.right = column;
    else groups.push({ left: column, right: column });
  }
  return groups;
}

/** Rows that may be a table, from column `left` to `right`. */
interface Stretch {
  rows: SheetRow[];
  left: number;
  right: number;
}

/** Cuts what is too sparse along its longer side, until each part has a size that its cells are worth. */
function inProportion(whole: Stretch): Stretch[] {
  const found: Stretch[] = [];
  for (const waiting = [whole]; waiting.length > 0;) {
    const stretch = waiting.pop() as Stretch;
    const cells = stretch.rows.reduce((sum, row) => sum + row.cells.length, 0);
    if (isInProportion({ rows: heightOf(stretch.rows), columns: stretch.right - stretch.left + 1 }, cells))
      found.push(stretch);
    else waiting.push(...halvesOf(stretch.rows).reverse());
  }
  return found;
}

const heightOf = (rows: SheetRow[]): number => (rows.at(-1)?.row ?? 0) - (rows[0]?.row ?? 0) + 1;

/** Both halves without the empty columns at their sides; where merged cells alone made it so wide, the one that is left. */
function halvesOf(rows: SheetRow[]): Stretch[] {
  const columns = [...new Set(rows.flatMap(({ cells }) => cells.map(({ column }) => column)))].sort((a, b) => a - b);
  const width = (columns.at(-1) ?? 0) - (columns[0] ?? 0) + 1;
  const isWide = width > heightOf(rows);
  const cut = cutOf(isWide ? columns : rows.map(({ row }) => row));
  const within = (column: number, row: number): boolean => (isWide ? column : row) < cut;
  const half = (isFirst: boolean): SheetRow[] =>
    rows
      .map(({ row, cells }) => ({ row, cells: cells.filter(({ column }) => within(column, row) === isFirst) }))
      .filter(({ cells }) => cells.length > 0);
  return [half(true), half(false)].filter((part) => part.length > 0).map(stretchOf);
}

function stretchOf(rows: SheetRow[]): Stretch {
  let [left, right] = [Infinity, 0];
  for (const { cells } of rows) {
    for (const { column } of cells) [left, right] = [Math.min(left, column), Math.max(right, column)];
  }
  return { rows, left, right };
}

/** Where the second half begins: behind the widest gap, of several the one nearest to the middle. @param used in order */
function cutOf(used: readonly number[]): number {
  const middle = used.length / 2;
  let best = { gap: 0, away: Infinity, at: used[0] ?? 0 };
  for (let index = 1; index < used.length; index += 1) {
    const [at, before] = [used[index] ?? 0, used[index - 1] ?? 0];
    const [gap, away] = [at - before, Math.abs(index - middle)];
    if (gap > best.gap || (gap === best.gap && away < best.away)) best = { gap, away, at };
  }
  return best.at;
}

/** A line above a table is its title, not a row of it. */
function withoutTitles(rows: SheetRow[], columns: number): SheetRow[] {
  const first = rows.findIndex(({ cells }) => cells.length > 1);
  return columns > 2 && first > 0 ? rows.slice(first) : rows;
}

function regionOf(rows: SheetRow[], left: number, right: number): SheetRegion | null {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined || rows.length < 2 || left === right) return null;
  return {
    range: { top: first.row, left, bottom: last.row, right },
    headerRows: headerRowsOf(rows, right - left + 1),
    cells: rows.flatMap(({ cells }) => cells),
  };
}

/** The first row is a header when it names most columns and holds no numbers but years. */
function headerRowsOf([first, ...others]: SheetRow[], columns: number): number {
  if (first === undefined || first.cells.length < columns * 0.6) return 0;
  const names = first.cells.filter(({ isNumber }) => !isNumber).length;
  const years = first.cells.filter(({ isNumber, text }) => isNumber && /^(19|20)\d\d$/.test(text)).length;
  const isHeader = names > 0 && names + years === first.cells.length;
  return isHeader && others.length > 0 ? 1 : 0;
}
