/** A sheet as its reader found it, cells in order of their rows and then their columns, empty ones left out. Rows and columns count from 0. */
export interface Sheet {
  name: string;
  cells: SheetCell[];
  merges: CellRange[];
  hidden: { sheet: boolean; rows: number[]; columns: number[] };
  /** Cells that hold a formula and no result, because no program that calculates has saved the file. */
  uncalculated: number;
  /** Cells that are not in `cells` because the sheet has more than a page may; null when nobody counted them. */
  leftOut: number | null;
  /** Whether merged cells and hidden rows were looked for. */
  isLayoutKnown: boolean;
}

export interface SheetCell {
  row: number;
  column: number;
  text: string;
  /** A number or a date, as opposed to a text. */
  isNumber: boolean;
}

export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Cells of a page; a sheet with more goes in up to here, and its page says so. */
export const MAX_CELLS = 200_000;
/** Characters of a page. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** `AB`, of column 27. */
export function columnName(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : columnName(Math.floor(column / 26) - 1) + last;
}

/** `C7`, of row 6 and column 2. */
export function cellName(row: number, column: number): string {
  return `${columnName(column)}${row + 1}`;
}

export function rangeName({ top, left, bottom, right }: CellRange): string {
  return `${cellName(top, left)}:${cellName(bottom, right)}`;
}

/** Takes cells until a page is full. */
export class SheetCells {
  readonly cells: SheetCell[] = [];
  leftOut = 0;
  private characters = 0;

  get isFull(): boolean {
    return this.leftOut > 0;
  }

  add(cell: SheetCell): void {
    const text = cell.text.replaceAll(/\s+/g, ' ').trim().normalize('NFC');
    if (text === '') return;
    this.characters += text.length;
    if (this.cells.length >= MAX_CELLS || this.characters > MAX_CHARACTERS) this.leftOut++;
    else this.cells.push({ ...cell, text });
  }
}
