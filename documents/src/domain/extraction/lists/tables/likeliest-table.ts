import type { ListTarget } from '../../compile/target.js';
import type { Reading, Scope } from '../../model/reading.js';
import { assignColumns, rowColumns, type ColumnOfLeaf } from './assign-columns.js';
import type { FoundTable } from './found-table.js';
import { gridTables } from './grid-tables.js';
import { HeaderSense } from './header-sense.js';
import { lineTables } from './line-tables.js';
import { rowLeaves, rowShapes, type RowShape } from './row-shape.js';

/** A table whose columns were found to hold the leaves of a list, and how well. */
export interface Candidate {
  shape: RowShape;
  table: FoundTable;
  columns: ColumnOfLeaf[];
  likelihood: number;
}

/** The likeliest shape and table, with the others that are printed in the same way. */
export function likeliestTable(list: ListTarget, scope: Scope, reading: Reading): Candidate | null {
  let best: Candidate | null = null;
  for (const shape of rowShapes(list)) {
    const sense = new HeaderSense(shape.leaves);
    const tables = [...gridTables(reading, scope, sense), ...lineTables(reading, scope, sense)];
    for (const table of tables) {
      const columns = assignColumns(shape, table, sense);
      const likelihood = likelihoodOf(shape, columns, table);
      if (likelihood > (best?.likelihood ?? 0)) best = { shape, table, columns, likelihood };
    }
  }
  return best;
}

/** Rows beyond this make a table no likelier. */
const MANY_ROWS = 4;
/** A header that surely names a leaf, and the only one of a list. */
const NAMES = 0.55;
const NAMES_ALONE = 0.85;
/** Leaves that need a column. */
const LEAST_COVERAGE = 0.5;

function likelihoodOf(shape: RowShape, columns: readonly ColumnOfLeaf[], { blocks, found }: FoundTable): number {
  const own = rowColumns(shape, columns);
  const leaves = rowLeaves(shape);
  const rows = blocks.reduce((total, block) => total + block.rows.length, 0);
  if (rows === 0 || own.length < Math.min(2, leaves.length)) return 0;
  const quality = own.reduce((total, { score }) => total + score, 0) / own.length;
  const named = own.filter(({ header }) => header >= (leaves.length === 1 ? NAMES_ALONE : NAMES)).length;
  const coverage = Math.min(1, own.length / Math.min(leaves.length, 6));
  if (named < Math.min(2, leaves.length) || coverage < LEAST_COVERAGE) return 0;
  const size = 0.85 + 0.15 * Math.min(1, rows / MANY_ROWS);
  const grid = found === 'lines' ? 0 : 0.02;
  return Math.min(0.99, (0.15 + 0.45 * quality + 0.4 * coverage) * size + grid);
}
