import { describe, expect, it } from '@jest/globals';
import { joinedTables } from '../../../test/support/documents/joined-tables.js';
import type { Page, Table, TableCell } from '../page-model.js';
import { isInProportion } from './proportion.js';
import { bytesOfTable, MAX_TABLE_BYTES, tableParts } from './table-parts.js';

function cellOf(row: number, column: number, text: string, pageNumber = 1): TableCell {
  const at = { row, column, rowSpan: 1, columnSpan: 1 };
  return { ...at, text, pageNumber, box: [column / 10, 0.1, 0.1, 0.01], cell: `${'ABCDEFGHIJ'[column]}${row + 2}` };
}

function tableOf(rows: number, columns: number, textOf: (row: number) => string, pageNumber = 1): Table {
  const cells = Array.from({ length: rows * columns }, (_, index) => {
    const row = Math.floor(index / columns);
    return cellOf(row, index % columns, row === 0 ? `name ${index}` : textOf(row), pageNumber);
  });
  return {
    ...{ firstPage: pageNumber, lastPage: pageNumber, columns, headerRows: 1, rows, cells, found: 'sheet' },
    boxes: [{ pageNumber, box: [0, 0, 1, 1] }],
    cellRange: `A2:${'ABCDEFGHIJ'[columns - 1]}${rows + 1}`,
  };
}

const bodyOf = (tables: readonly Table[]): string[] =>
  tables.flatMap(({ cells, headerRows }) => cells.filter(({ row }) => row >= headerRows).map(({ cell }) => cell ?? ''));

describe('a table that is too large for one statement', () => {
  it('goes on in further ones, each with the header, its own range and no cell twice', () => {
    const table = tableOf(3000, 3, (row) => `${row} `.repeat(600));
    const parts = tableParts(table);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      expect(bytesOfTable(part)).toBeLessThanOrEqual(MAX_TABLE_BYTES);
      expect(part.cells.slice(0, 3).map(({ text }) => text)).toEqual(['name 0', 'name 1', 'name 2']);
      const [, first, last] = /^A(\d+):C(\d+)$/.exec(part.cellRange ?? '') ?? [];
      expect([bodyOf([part])[0], bodyOf([part]).at(-1)]).toEqual([`A${first}`, `C${last}`]);
      expect(part.rows).toBe(Number(last) - Number(first) + 2);
    }
    expect(bodyOf(parts)).toEqual(bodyOf([table]));
  });

  it('is cut within a row where one row alone is too large', () => {
    const table = tableOf(2, 10, () => 'y'.repeat(2_000_000));
    const parts = tableParts(table);
    for (const part of parts) expect(bytesOfTable(part)).toBeLessThanOrEqual(MAX_TABLE_BYTES);
    expect(bodyOf(parts)).toEqual(bodyOf([table]));
  });

  it('is cut where it is too sparse', () => {
    const cells = Array.from({ length: 400 }, (_, row) => cellOf(row * 100, row % 2, 'x'));
    const sparse: Table = { ...tableOf(1, 2, () => ''), headerRows: 0, rows: 40_000, cells };
    const parts = tableParts(sparse);
    for (const part of parts) expect(isInProportion(part, part.cells.length)).toBe(true);
    expect(parts.flatMap((part) => part.cells)).toHaveLength(400);
  });

  it('takes no more pages than it has room for', async () => {
    const pages = Array.from({ length: 8 }, (_, index): Page => {
      const tables = [{ ...tableOf(100, 2, () => 'z'.repeat(20_000), index + 1), found: 'aligned' as const }];
      return { pageNumber: index + 1, tables, lines: [] } as unknown as Page;
    });
    const tables = await joinedTables(pages);
    expect(tables.map(({ firstPage, lastPage }) => [firstPage, lastPage])).toEqual([
      [1, 3],
      [4, 6],
      [7, 8],
    ]);
  });
});
