/** Columns of the widest sheet; a table has no more. */
export const MAX_COLUMNS = 16_384;
/** Places of a grid that need no cell: a form may be empty, and a row may be as wide as it likes. */
const FREE_PLACES = 32_768;
const PLACES_PER_CELL = 16;

/**
 * Whether a grid is in proportion to the cells it has. Whoever writes a table out row by row pays for its empty places, so one whose few cells
 * stand far apart could cost any amount of memory.
 */
export function isInProportion({ rows, columns }: { rows: number; columns: number }, cells: number): boolean {
  return columns <= MAX_COLUMNS && rows * columns <= Math.max(FREE_PLACES, cells * PLACES_PER_CELL);
}
