import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isInProportion } from '../../../../domain/tables/proportion.js';
import type { SheetCell } from './sheet.js';
import { findRegions } from './sheet-regions.js';

const at = (row: number, column: number): SheetCell => ({ row, column, text: `${row} ${column}`, isNumber: true });
const inOrder = (cells: SheetCell[]): SheetCell[] => cells.sort((a, b) => a.row - b.row || a.column - b.column);

describe('the tables of a sheet', () => {
  it('are in proportion to their cells, and no cell is in two of them', () => {
    const place = fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 16_383 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(place, { maxLength: 600, selector: String }),
        fc.nat({ max: 16_384 }),
        (places, wide) => {
          const cells = inOrder(places.map(([row, column]) => at(row, column)));
          const regions = findRegions(cells, ({ column }) => (column === 0 ? wide + 1 : 1));
          for (const { range, cells: inside } of regions) {
            const size = { rows: range.bottom - range.top + 1, columns: range.right - range.left + 1 };
            expect(isInProportion(size, inside.length)).toBe(true);
          }
          const all = regions.flatMap((region) => region.cells.map(({ text }) => text));
          expect(new Set(all).size).toBe(all.length);
        },
      ),
    );
  });

  it('one along a diagonal is cut where its cells stand close together', () => {
    const diagonal = Array.from({ length: 16_000 }, (_, step) => [at(step, step), at(step, step + 1)]).flat();
    const regions = findRegions(diagonal, () => 1);
    const places = regions.reduce(
      (sum, { range }) => sum + (range.bottom - range.top + 1) * (range.right - range.left + 1),
      0,
    );
    expect(places).toBeLessThan(5_000_000);
    expect(regions.flatMap(({ cells }) => cells).length).toBeGreaterThan(31_000);
  });

  it('two dense ones stay whole where a title over both is all that joins them', () => {
    const block = (left: number): SheetCell[] =>
      Array.from({ length: 20 }, (_, row) => [0, 1, 2].map((column) => at(row + 1, left + column))).flat();
    const cells = inOrder([at(0, 0), ...block(0), ...block(9000)]);
    const ranges = findRegions(cells, ({ row }) => (row === 0 ? 9003 : 1)).map(({ range }) => range);
    expect(ranges).toEqual([
      { top: 1, left: 0, bottom: 20, right: 2 },
      { top: 1, left: 9000, bottom: 20, right: 9002 },
    ]);
  });
});
