import type { Table } from '../../page-model.js';

/** The largest table of a sheet; without a name, of the first sheet that has one. */
export class SheetChoice {
  best: Table | null = null;

  constructor(private readonly sheetName: string | undefined) {}

  consider(table: Table): void {
    const { best, sheetName } = this;
    if (table.found !== 'sheet' || (sheetName !== undefined && table.sheetName !== sheetName)) return;
    if (best === null || (table.sheetName === best.sheetName && sizeOf(table) > sizeOf(best))) this.best = table;
  }
}

function sizeOf({ rows, columns }: Table): number {
  return rows * columns;
}
