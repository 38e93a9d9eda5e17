import type { Box, Line, Page, Table, Warning, Word } from '../../../../domain/page-model.js';
import type { CellRange, Sheet, SheetCell } from './sheet.js';
import { cellName, columnName, MAX_CELLS, rangeName } from './sheet.js';
import type { SheetRegion } from './sheet-regions.js';
import { findRegions } from './sheet-regions.js';

/** What has no blank for longer than this is no word; it goes on as another one. */
const MAX_WORD = 1000;
const MAX_MERGES = 100_000;
const MAX_NAMED = 20;

/** The page of a sheet: a grid of the cells that are used, each word in the place of its cell. */
export function sheetPage(sheet: Sheet, pageNumber: number): Page {
  const grid = new Grid(sheet);
  const words: Word[] = [];
  const lines: Line[] = [];
  const texts: string[] = [];
  let offset = 0;
  for (const row of grid.rows) {
    const first = words.length;
    const parts: string[] = [];
    for (const cell of row) {
      for (const text of wordsOf(cell.text)) {
        const word = { text, box: grid.boxOf(cell), from: offset, to: offset + text.length };
        words.push({ ...word, source: 'cell', confidence: 1, cell: cellName(cell.row, cell.column) });
        parts.push(text);
        offset += text.length + 1;
      }
    }
    texts.push(parts.join(' '));
    lines.push({ first, last: words.length - 1, box: grid.rowBox(row) });
  }
  const { width, height } = grid;
  return {
    ...{ pageNumber, width, height, unit: 'cell', rotation: 0, sheetName: sheet.name },
    ...{ text: texts.join('\n'), source: 'cell', ocrConfidence: null, words, lines },
    ...{ rules: [], fields: [], images: [] },
    tables: findRegions(sheet.cells, (cell) => grid.spanOf(cell).columns).map((region) =>
      tableOf(region, grid, sheet, pageNumber),
    ),
    warnings: warningsOf(sheet, pageNumber),
  };
}

/** The part of a sheet that is used, as a page of the size of its rows and columns. */
class Grid {
  readonly rows: SheetCell[][] = [];
  private readonly used: CellRange;
  private readonly spans = new Map<string, { rows: number; columns: number }>();

  constructor({ cells, merges }: Sheet) {
    const used = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
    for (const { top, left, bottom, right } of merges.slice(0, MAX_MERGES))
      this.spans.set(cellName(top, left), { rows: bottom - top + 1, columns: right - left + 1 });
    for (const cell of cells) {
      const { rows, columns } = this.spanOf(cell);
      used.top = Math.min(used.top, cell.row);
      used.left = Math.min(used.left, cell.column);
      used.bottom = Math.max(used.bottom, cell.row + rows - 1);
      used.right = Math.max(used.right, cell.column + columns - 1);
      if (this.rows.at(-1)?.[0]?.row === cell.row) this.rows.at(-1)?.push(cell);
      else this.rows.push([cell]);
    }
    this.used = cells.length === 0 ? { top: 0, left: 0, bottom: 0, right: 0 } : used;
  }

  get width(): number {
    return this.used.right - this.used.left + 1;
  }

  get height(): number {
    return this.used.bottom - this.used.top + 1;
  }

  spanOf(cell: SheetCell): { rows: number; columns: number } {
    return this.spans.get(cellName(cell.row, cell.column)) ?? { rows: 1, columns: 1 };
  }

  boxOf(cell: SheetCell): Box {
    const { rows, columns } = this.spanOf(cell);
    return this.box(cell.row, cell.column, cell.row + rows - 1, cell.column + columns - 1);
  }

  rowBox(row: SheetCell[]): Box {
    const [first, last] = [row[0], row.at(-1)];
    if (first === undefined || last === undefined) return [0, 0, 1, 1];
    return this.box(first.row, first.column, first.row, last.column + this.spanOf(last).columns - 1);
  }

  box(top: number, left: number, bottom: number, right: number): Box {
    const part = (from: number, to: number, start: number, length: number): [number, number] => [
      (from - start) / length,
      (to - from + 1) / length,
    ];
    const [x, width] = part(left, right, this.used.left, this.width);
    const [y, height] = part(top, bottom, this.used.top, this.height);
    return [x, y, width, height];
  }
}

function tableOf({ range, headerRows, cells }: SheetRegion, grid: Grid, sheet: Sheet, pageNumber: number): Table {
  return {
    ...{ firstPage: pageNumber, lastPage: pageNumber, headerRows, found: 'sheet' },
    columns: range.right - range.left + 1,
    rows: range.bottom - range.top + 1,
    cells: cells.map((cell) => {
      const { rows, columns } = grid.spanOf(cell);
      return {
        ...{ row: cell.row - range.top, column: cell.column - range.left },
        rowSpan: Math.min(rows, range.bottom - cell.row + 1),
        columnSpan: Math.min(columns, range.right - cell.column + 1),
        ...{ text: cell.text, pageNumber, box: grid.boxOf(cell), cell: cellName(cell.row, cell.column) },
      };
    }),
    boxes: [{ pageNumber, box: grid.box(range.top, range.left, range.bottom, range.right) }],
    sheetName: sheet.name,
    cellRange: rangeName(range),
  };
}

function wordsOf(text: string): string[] {
  return text.split(' ').flatMap((word) => (word.length <= MAX_WORD ? [word] : (word.match(/.{1,1000}/gsu) ?? [])));
}

function warningsOf(sheet: Sheet, pageNumber: number): Warning[] {
  const { hidden, leftOut, uncalculated } = sheet;
  const warnings: Warning[] = [];
  const warn = (code: string, message: string): number => warnings.push({ code, message, pageNumber });
  if (hidden.sheet) warn('hidden_sheet', 'the sheet is hidden; it was read all the same');
  if (hidden.rows.length > 0)
    warn(
      'hidden_rows',
      `${hidden.rows.length} rows are hidden and were read all the same: ${named(hidden.rows, (row) => String(row + 1))}`,
    );
  if (hidden.columns.length > 0)
    warn(
      'hidden_columns',
      `${hidden.columns.length} columns are hidden and were read all the same: ${named(hidden.columns, columnName)}`,
    );
  if (uncalculated > 0)
    warn(
      'formulas_without_results',
      `${uncalculated} cells hold a formula whose result the file does not have; formulas are never calculated here`,
    );
  if (!sheet.isLayoutKnown)
    warn('layout_not_read', 'the file is large: merged cells and hidden rows and columns were not looked for');
  if (leftOut !== 0)
    warn(
      'cells_left_out',
      `the sheet has more than ${MAX_CELLS} cells: ${leftOut ?? 'those'} behind the last that is here were not read`,
    );
  return warnings;
}

function named(indexes: number[], name: (index: number) => string): string {
  const shown = indexes.slice(0, MAX_NAMED).map(name).join(', ');
  return indexes.length > MAX_NAMED ? `${shown}, …` : shown;
}
