import type { Row } from '@cj-tech-master/excelts';
import { getCellDisplayText, ValueType, WorkbookReader } from '@cj-tech-master/excelts';
import { refusal } from '../serve.js';
import { dateText, numberText } from './cell-text.js';
import type { Sheet } from './sheet.js';
import { SheetCells } from './sheet.js';

type Cell = ReturnType<Row['getCell']>;

const OPTIONS = {
  worksheets: 'emit',
  sharedStrings: 'cache',
  styles: 'cache',
  hyperlinks: 'ignore',
  entries: 'ignore',
} as const;

/**
 * The sheets `from` to `to` (from 1) of a workbook too large to be held, read as they pass by. They come in the order of the file, which need not
 * be that of the workbook. Merged cells stand behind the cells and are not looked for.
 */
export async function* streamSheets(
  path: string,
  from: number,
  to: number,
): AsyncGenerator<{ index: number; sheet: Sheet }> {
  const reader = new WorkbookReader(path, OPTIONS);
  try {
    for await (const worksheet of reader) {
      const index = reader.model?.sheets?.findIndex(({ name }) => name === worksheet.name) ?? -1;
      const isWanted = index + 1 >= from && index + 1 <= to;
      const cells = new SheetCells();
      let uncalculated = 0;
      // One that is not wanted is read all the same: what follows it in the file comes after it.
      for await (const row of worksheet) if (isWanted) uncalculated += addRow(row, cells);
      if (isWanted) yield { index, sheet: sheetOf(worksheet.name, worksheet.state, cells, uncalculated) };
    }
  } catch (error) {
    if (error instanceof RangeError || isLimit(error)) throw error;
    throw refusal('broken', 'the workbook cannot be opened: it is damaged or of another kind');
  }
}

function isLimit(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}

function sheetOf(name: string, state: string | undefined, cells: SheetCells, uncalculated: number): Sheet {
  return {
    ...{ name, cells: cells.cells, merges: [], leftOut: cells.leftOut, uncalculated, isLayoutKnown: false },
    hidden: { sheet: state !== undefined && state !== 'visible', rows: [], columns: [] },
  };
}

/** @returns formulas without a result */
function addRow(row: Row, cells: SheetCells): number {
  let uncalculated = 0;
  row.eachCell((cell, column) => {
    const isNumber = [ValueType.Number, ValueType.Date].includes(cell.effectiveType);
    if (cell.type === ValueType.Formula && cell.result === undefined) uncalculated++;
    else cells.add({ row: row.number - 1, column: column - 1, text: textOf(cell), isNumber });
  });
  return uncalculated;
}

function textOf(cell: Cell): string {
  const value = cell.type === ValueType.Formula ? cell.result : cell.value;
  if (value instanceof Date) return dateText(value, value.getUTCFullYear() < 1900);
  if (typeof value !== 'number') return getCellDisplayText(cell);
  const format = typeof cell.numFmt === 'string' ? cell.numFmt : cell.numFmt?.formatCode;
  return numberText(value, format, getCellDisplayText(cell));
}
