import type { Page, Table } from '../page-model.js';
import { alignedTables } from './aligned-tables.js';
import { groundOf } from './grid.js';
import { isInProportion } from './proportion.js';
import { ruledTables } from './ruled-tables.js';

/**
 * The tables of one page, from the top down: first those within ruling lines, then those that alignment alone shows. What has hardly any cells for
 * its size is none.
 */
export function findTables(page: Page): Table[] {
  if (page.words.length === 0) return [];
  const ground = groundOf(page);
  const ruled = ruledTables(ground);
  return [...ruled, ...alignedTables(ground, ruled)]
    .filter((table) => isInProportion(table, table.cells.length))
    .sort((a, b) => topOf(a) - topOf(b) || leftOf(a) - leftOf(b));
}

const topOf = (table: Table): number => table.boxes[0]?.box[1] ?? 0;
const leftOf = (table: Table): number => table.boxes[0]?.box[0] ?? 0;
