import type { Scope, WordRange } from '../../model/reading.js';

/** What a row says in one column, a range for each line. */
export interface FoundCell {
  column: number;
  ranges: WordRange[];
  text: string;
}

/** A row of a table, with the lines that it stands on. Places are in units of the page. */
export interface FoundRow extends Scope {
  pageNumber: number;
  top: number;
  bottom: number;
  height: number;
  cells: FoundCell[];
  bold: boolean;
  /** A text goes over several columns, as a heading does. */
  isWide: boolean;
  /** Whether its texts are of other kinds than those of its columns. */
  isOdd: boolean;
}

/** What stands below one print of the header. */
export interface TableBlock {
  /** Lines over the header that belong to no row, as the title of what follows; empty where nothing is above. */
  above: Scope;
  pageNumber: number;
  rows: FoundRow[];
}

export interface FoundColumn {
  header: string;
  /** Words of the header in the singular and in small letters. */
  words: readonly string[];
}

/** A table as it is printed, over any number of pages. */
export interface FoundTable {
  found: 'lines' | 'ruled' | 'sheet';
  columns: FoundColumn[];
  blocks: TableBlock[];
}

export function cellOf(row: FoundRow, column: number): FoundCell | undefined {
  return row.cells.find((cell) => cell.column === column);
}

/** Numbers, amounts, rates and marks of nothing; with a unit of a few letters. */
export function isNumeric(text: string): boolean {
  return /^[-–—.]$/u.test(text) || (/\d/u.test(text) && /^[^\p{L}]*(?:\p{L}{1,4}\.?)?[^\p{L}]*$/u.test(text));
}
