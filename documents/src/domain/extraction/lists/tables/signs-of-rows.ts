import { leavesOf, type ListTarget } from '../../compile/target.js';
import type { CountMethod } from '../../model/answer.js';
import type { Reading, Scope } from '../../model/reading.js';
import { seriesShapeOf } from '../series/series-shape.js';
import { amountRows } from './amount-lines.js';
import { amountLeaves } from './amounts-finder.js';
import { isNumeric } from './found-table.js';
import { HeaderSense } from './header-sense.js';
import { printedLines, type PrintedLine } from './printed-lines.js';
import { isCharge, isSum } from './row-kinds.js';
import { countedTotal } from './stated-total.js';
import { findHeaders, overlaps, type PrintedHeader } from './table-headers.js';

/** Rows that a document shows of a list, though none could be read. */
export interface SignsOfRows {
  expectedRows: number;
  method: CountMethod;
}

/** Leaves that a header names at least, and rows that make a table of what is below. */
const LEAST = { named: 2, rows: 2 };

/**
 * Signs that a document has rows of a list: a number of them that it states, lines below a header that names what an item has, lines that end in
 * amounts where an item has one. Null where nothing speaks for any.
 */
export function signsOfRows(list: ListTarget, scope: Scope, reading: Reading): SignsOfRows | null {
  const stated = countedTotal(list, scope, reading);
  if (stated !== null) return { expectedRows: stated, method: 'stated_total' };
  const rows = Math.max(belowHeaders(list, scope, reading), withAmounts(list, scope, reading));
  return rows < LEAST.rows ? null : { expectedRows: rows, method: 'table_rows' };
}

function withAmounts(list: ListTarget, scope: Scope, reading: Reading): number {
  if (amountLeaves(list) === null) return 0;
  return Math.max(0, ...amountRows(reading, scope).map(({ rows }) => rows.length));
}

function belowHeaders(list: ListTarget, scope: Scope, reading: Reading): number {
  const { item } = list;
  if (item.kind !== 'object' || seriesShapeOf(list) !== null) return 0;
  const leaves = leavesOf(item);
  if (leaves.length < LEAST.named) return 0;
  const lines = printedLines(reading, scope);
  const headers = findHeaders(lines, new HeaderSense(leaves)).filter(({ named }) => named >= LEAST.named);
  return headers.reduce((sum, header) => sum + rowsBelow(lines, header), 0);
}

/** Lines that have texts below several names of a header, and a number among them, up to the first sum. */
function rowsBelow(lines: readonly PrintedLine[], { from, to, cells }: PrintedHeader): number {
  const header = lines[from];
  let rows = 0;
  for (const { pageNumber, parts } of lines.slice(to)) {
    const under = parts.filter((part) => cells.some((cell) => overlaps(cell, part)));
    if (pageNumber !== header?.pageNumber || parts.some(({ text }) => isSum(text))) break;
    const isRow = under.length >= LEAST.named && under.some(({ text }) => isNumeric(text));
    if (isRow && !parts.some(({ text }) => isCharge(text) || text.endsWith(':'))) rows += 1;
    else if (parts.length > 1 && under.length < LEAST.named) break;
  }
  return rows < LEAST.rows ? 0 : rows;
}
