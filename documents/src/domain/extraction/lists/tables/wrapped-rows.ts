import { median } from '../../../layout/text-run.js';
import { ColumnKinds } from './body-lines.js';
import { cellOf, type FoundRow } from './found-table.js';

/** Lines of one row stand no farther apart than this, in heights of a word. */
const NEAR = 1.3;
/** A line this much nearer to the one above than rows are to each other goes on with it. */
const NEARER = 0.9;

/** Lines made rows: what goes on below, in a column that is begun or in others that the row left open, belongs to the row above. */
export function mergeWrapped(lines: readonly FoundRow[], columns: number): FoundRow[] {
  const rows: FoundRow[] = [];
  const spacing = new Spacing(lines, columns);
  lines.forEach((line, at) => {
    const above = rows.at(-1);
    if (above !== undefined && spacing.goesOn(above, lines[at - 1], line, lines[at + 1])) append(above, line);
    else rows.push({ ...line, cells: line.cells.map((cell) => ({ ...cell, ranges: [...cell.ranges] })) });
  });
  return rows;
}

function append(above: FoundRow, row: FoundRow): void {
  for (const cell of row.cells) {
    const same = cellOf(above, cell.column);
    if (same === undefined) above.cells.push({ ...cell, ranges: [...cell.ranges] });
    else {
      same.ranges.push(...cell.ranges);
      same.text = `${same.text} ${cell.text}`;
    }
  }
  above.cells.sort((a, b) => a.column - b.column);
  above.to = Math.max(above.to, row.to);
  above.bottom = Math.max(above.bottom, row.bottom);
}

/** How far the lines of a table stand apart: full ones, and those with a text or two. */
class Spacing {
  private readonly kinds: ColumnKinds;
  /** Columns of the first texts of rows, most of which begin with one of them. */
  private readonly leads: ReadonlySet<number>;
  private readonly full: number;
  /** From a line of few texts to the one above: up to here it goes on with it. */
  private readonly near: number;
  private readonly isRowBold: boolean;

  constructor(lines: readonly FoundRow[], columns: number) {
    this.kinds = new ColumnKinds(
      lines.filter(({ isOdd }) => !isOdd),
      columns,
    );
    this.full = fullRow(lines);
    const fulls = lines.filter(({ cells }) => cells.length >= this.full);
    this.leads = leadsOf(fulls);
    this.isRowBold = fulls.filter(({ bold }) => bold).length * 2 > fulls.length;
    this.near = this.nearness(lines);
  }

  /** Between lines of few texts and those above; where some are clearly nearer than rows are, they alone go on. */
  private nearness(rows: readonly FoundRow[]): number {
    const [few, rowwise]: [number[], number[]] = [[], []];
    rows.forEach((row, at) => {
      const above = rows[at - 1];
      if (above?.pageNumber !== row.pageNumber) return;
      const step = row.top - above.top;
      if (row.isOdd && row.cells.length > 1) return;
      if (row.cells.length < this.full) few.push(step);
      else rowwise.push(step);
    });
    const usual = median(rowwise);
    const nearest = few.filter((step) => step < usual * NEARER);
    return usual > 0 && nearest.length > 0 ? Math.max(...nearest) * 1.02 : Infinity;
  }

  goesOn(above: FoundRow, before: FoundRow | undefined, row: FoundRow, next: FoundRow | undefined): boolean {
    const last = before ?? above;
    const isNextPage = last.pageNumber !== row.pageNumber;
    if (!isNextPage && row.top - last.bottom > Math.max(row.height, last.height) * NEAR) return false;
    if (above.cells.length < 2 || (row.bold && !this.isRowBold && row.cells.length === 1)) return false;
    if (row.isWide && row.cells.length === 1) return false;
    if (this.completes(above, row)) return true;
    if (isNextPage || !this.isRest(above, row)) return false;
    if (row.top - last.top <= this.near && this.near < Infinity) return true;
    return this.near === Infinity && !isTitle(last, row, next);
  }

  /** Texts in columns that the row above left open, behind that in which rows begin. */
  private completes(above: FoundRow, { cells }: FoundRow): boolean {
    if (above.cells.length >= this.full && cells.length >= this.full) return false;
    const isOpen = cells.every(({ column }) => cellOf(above, column) === undefined);
    const begins = cells.some(({ column }) => this.leads.has(column));
    return isOpen && !begins && above.cells.some(({ column }) => this.leads.has(column));
  }

  /** Texts below texts, fewer than the row has, and no number below a number. */
  private isRest(above: FoundRow, { cells }: FoundRow): boolean {
    const isBelow = cells.every(({ column }) => !this.kinds.isOfNumbers(column) && cellOf(above, column) !== undefined);
    return isBelow && cells.length * 3 <= Math.max(3, above.cells.length * 2);
  }
}

/** A line by itself that stands nearer to the row below than to the one above is the title of what follows. */
function isTitle(last: FoundRow, row: FoundRow, next: FoundRow | undefined): boolean {
  if (next?.pageNumber !== row.pageNumber) return false;
  return row.top - last.bottom > (next.top - row.bottom) * 1.3 + row.height * 0.1;
}

/** How many texts a row has at least: two in three of the most that are usual. */
function fullRow(rows: readonly FoundRow[]): number {
  const counts = rows.map(({ cells }) => cells.length).sort((a, b) => b - a);
  const many = counts[Math.floor(counts.length * 0.1)] ?? 0;
  return Math.max(2, Math.ceil((many * 2) / 3));
}

/** Columns in which full rows begin. */
function leadsOf(rows: readonly FoundRow[]): Set<number> {
  const counts = new Map<number, number>();
  for (const { cells } of rows) {
    const first = Math.min(...cells.map(({ column }) => column));
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return new Set([...counts].flatMap(([column, count]) => (count * 10 >= rows.length ? [column] : [])));
}
