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

/** The tables of a sheet. What has one row or one column is none. @param widthOf columns that a cell covers */
export function findRegions(cells: readonly SheetCell[], widthOf: (cell: SheetCell) => number): SheetRegion[] {
  return bandsOf(rowsOf(cells)).flatMap((band) =>
    columnGroups(band, widthOf).flatMap(({ left, right }) => {
      const rows = band
        .map(({ row, cells: all }) => ({ row, cells: all.filter(({ column }) => column >= left && column <= right) }))
        .filter((row) => row.cells.length > 0);
      const region = regionOf(withoutTitles(rows, right - left + 1), left, right);
      return region === null ? [] : [region];
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
