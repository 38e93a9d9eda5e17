import { median } from '../../../layout/text-run.js';
import type { CountMethod } from '../../model/answer.js';
import { type FoundRow, type FoundTable } from './found-table.js';
import type { KnownRow } from './row-kinds.js';

/** Rows that a list lacks, by what tells of them apart from those that are there. */
export interface MissingRows {
  method: CountMethod;
  /** How many are missing before each item, and last of all behind the last one. */
  before: number[];
}

const INTEGER = /^\W{0,2}(\d{1,7})[.)]?$/u;
/** A list whose first number is beyond this may begin with any number. */
const FIRST_NUMBER = 25;
/** Of neighbours, how many must follow each other for a column to number its rows. */
const FOLLOWING = 0.6;
const COUNTING = /^(?:number|rank|position|pos|line|item|row|entry|seq|lfd|sr|id)$/u;

/** By a column that numbers the rows. Null where none does. */
export function byNumbering(items: readonly FoundRow[], { columns }: FoundTable): MissingRows | null {
  if (items.length < 3) return null;
  const found = columns.map(({ words }, column) => {
    const isCounting = words.length === 0 || words.some((word) => COUNTING.test(word));
    return numbered(items, column, isCounting);
  });
  const sure = found.filter((one) => one !== null);
  return sure.reduce<MissingRows | null>((best, one) => (best === null || sum(one) < sum(best) ? one : best), null);
}

function numbered(items: readonly FoundRow[], column: number, isCounting: boolean): MissingRows | null {
  const numbers = items.map(({ cells }) => {
    const said = INTEGER.exec(cells.find((cell) => cell.column === column)?.text ?? '')?.[1];
    return said === undefined ? null : Number(said);
  });
  const there = numbers.filter((one) => one !== null);
  if (there.length * 4 < items.length * 3 || there.length < 3) return null;
  const steps = there.slice(1).map((one, at) => one - (there[at] ?? 0));
  const step = usualStep(steps);
  const following = steps.filter((one, at) => one === step || one === 0 || there[at + 1] === Math.abs(step));
  if (step === 0 || following.length < steps.length * FOLLOWING) return null;
  return { method: 'numbering', before: gaps(numbers, step, isCounting) };
}

function usualStep(steps: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const step of steps) counts.set(step, (counts.get(step) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best === undefined || best[1] * 2 < steps.length ? 0 : best[0];
}

/** A number that is there again begins anew where it is the first one; else it is a tie, for which a later one may be left out. */
function gaps(numbers: readonly (number | null)[], step: number, isCounting: boolean): number[] {
  const before = new Array<number>(numbers.length + 1).fill(0);
  let last: number | null = null;
  let ties = 0;
  numbers.forEach((number, at) => {
    if (number === null) return;
    if (last === null || (step > 0 ? number < last : number > last)) {
      before[at] = step > 0 ? missingAtStart(number, step, isCounting) : 0;
      ties = 0;
    } else if (number === last) ties += 1;
    else {
      before[at] = Math.max(0, Math.ceil((number - last) / step) - 1 - ties);
      ties = 0;
    }
    last = number;
  });
  return before;
}

function missingAtStart(number: number, step: number, isCounting: boolean): number {
  const missing = Math.ceil(number / step) - 1;
  return isCounting && missing > 0 && missing <= FIRST_NUMBER ? missing : 0;
}

/** By the places of the rows: as many as would stand where nothing does, or what cannot be read. */
export function byPlaces(rows: readonly KnownRow[]): MissingRows {
  const before: number[] = [];
  const spacing = spacingOf(rows);
  let [empty, unread] = [0, 0];
  rows.forEach(({ row, kind }, at) => {
    const above = rows[at - 1]?.row;
    if (kind === 'unreadable') unread += 1;
    // A title moves to the next page with the rows below it, and leaves room.
    const isMoved = kind === 'title' && above?.pageNumber !== row.pageNumber;
    if (above !== undefined && spacing !== null && !isMoved) empty += spacing.rowsBetween(above, row);
    if (kind !== 'item') return;
    before.push(empty + unread);
    [empty, unread] = [0, 0];
  });
  // What is empty behind the last row is the end of the table.
  return { method: 'table_rows', before: [...before, unread] };
}

interface Spacing {
  rowsBetween(above: FoundRow, row: FoundRow): number;
}

/** Empty stretches that are found more often than this are how the table looks. */
const OFTEN = 0.12;

/** Null where the rows stand too irregularly to tell. */
function spacingOf(rows: readonly KnownRow[]): Spacing | null {
  const pairs = rows.slice(1).flatMap(({ row, kind }, at) => {
    const above = rows[at];
    return above?.row.pageNumber === row.pageNumber && above.kind === 'item' && kind === 'item'
      ? [[above.row, row] as const]
      : [];
  });
  if (pairs.length < 3) return null;
  const usual = median(pairs.map(([above, row]) => row.top - above.bottom));
  const heights = rows.filter(({ kind }) => kind === 'item').map(({ row }) => row.bottom - row.top);
  const step = usual + Math.min(...heights.filter((height) => height > 0), Infinity);
  if (!(step > 0 && step < Infinity)) return null;
  const extra = (above: FoundRow, row: FoundRow): number => row.top - above.bottom - usual;
  const holes = pairs.filter(([above, row]) => extra(above, row) > step * 0.75);
  if (holes.length > pairs.length * OFTEN && holes.length > 2) return pageSpacing(rows, step);
  const ofPages = pageSpacing(rows, step);
  return {
    rowsBetween: (above, row) => {
      if (above.pageNumber !== row.pageNumber) return ofPages.rowsBetween(above, row);
      return extra(above, row) > step * 0.75 ? Math.max(1, Math.round(extra(above, row) / step)) : 0;
    },
  };
}

/** At the foot of a page and the head of the next: where nearly all others go farther, what is missing may be counted. */
function pageSpacing(rows: readonly KnownRow[], step: number): Spacing {
  const pages = [...Map.groupBy(rows, ({ row }) => row.pageNumber)].sort(([a], [b]) => a - b);
  const feet = pages.slice(0, -1).map(([, inside]) => Math.max(...inside.map(({ row }) => row.bottom)));
  const heads = pages.slice(1).map(([, inside]) => Math.min(...inside.map(({ row }) => row.top)));
  const [foot, head] = [usualPlace(feet, step), usualPlace(heads, step)];
  const missing = (distance: number): number => (distance > step * 0.75 ? Math.max(1, Math.round(distance / step)) : 0);
  return {
    rowsBetween: (above, row) => {
      if (above.pageNumber === row.pageNumber) return 0;
      // A row that would not have fitted has moved to the next page.
      const room = foot === null ? 0 : foot - above.bottom;
      const isMoved = room < (row.bottom - row.top) * 0.95 + step * 0.2;
      return (isMoved ? 0 : missing(room)) + (head === null ? 0 : missing(row.top - head));
    },
  };
}

/** Where most pages begin or end; null where they differ. */
function usualPlace(places: readonly number[], step: number): number | null {
  if (places.length < 4) return null;
  const usual = median(places);
  const same = places.filter((place) => Math.abs(place - usual) < step * 0.3);
  return same.length * 10 >= places.length * 7 ? usual : null;
}

export function sum({ before }: MissingRows): number {
  return before.reduce((total, one) => total + one, 0);
}
