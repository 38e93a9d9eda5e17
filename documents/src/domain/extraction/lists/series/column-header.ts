import type { ReadLine, Reading, WordRange } from '../../model/reading.js';
import type { Figure } from './figure-row.js';
import { keyOfPeriod, readPeriod, type Period } from './period.js';

/** Words of a header line that stand together. */
export interface Segment {
  at: WordRange;
  text: string;
  left: number;
  right: number;
}

type Extent = Pick<FigureColumn, 'left' | 'right'>;

/** A column of figures. */
export interface FigureColumn {
  left: number;
  right: number;
  /** `period`: figures of a time; `change` between two of them; `share` of another figure; `other` where its header says no time. */
  kind: 'period' | 'change' | 'share' | 'other';
  /** Of a change that to which it leads; of a share that of the figure beside it. */
  period: Period | null;
  percent: boolean;
  header: Segment[];
}

/** A gap between two parts of a header, in heights of the line. */
const GAP = 0.9;
/** How far the right edges of figures of one column may lie apart, as a share of the page. */
const SAME_EDGE = 0.014;
/** How far left of the figures a header may begin. */
const OUTSIDE = 0.04;
const CHANGE = /\b(?:change|variance|increase|growth|inc|fav)\b/iu;
const SHARE = /%\s*of|percent(?:age)?\s+of|as\s+a\s+%|of\s+(?:net\s+)?(?:sales|revenues?)\b/iu;

export function segmentsOf(line: ReadLine, reading: Reading): Segment[] {
  const page = reading.page(line.pageNumber);
  const parts: Segment[] = [];
  for (const [index, word] of reading.wordsOf(line).entries()) {
    const [left, , width, height] = word.box;
    const last = parts.at(-1);
    const at = line.first + index;
    if (last !== undefined && (left - last.right) * page.width <= GAP * height * page.height) {
      last.text = `${last.text} ${word.text}`;
      last.right = left + width;
      last.at = { ...last.at, last: at };
    } else {
      const range = { pageNumber: line.pageNumber, first: at, last: at };
      parts.push({ at: range, text: word.text, left, right: left + width });
    }
  }
  return parts;
}

/** The columns in which figures stand below each other, from the left. */
export function columnsOf(figures: readonly Figure[]): Extent[] {
  const columns: { left: number; right: number }[] = [];
  for (const { left, right } of [...figures].sort((one, other) => one.right - other.right)) {
    const last = columns.at(-1);
    if (last === undefined || right - last.right > SAME_EDGE) columns.push({ left, right });
    else Object.assign(last, { left: Math.min(last.left, left), right });
  }
  return columns;
}

/** What the lines above say of each column. @param lines of the header, from above */
export function readColumns(columns: readonly Extent[], lines: readonly (readonly Segment[])[]): FigureColumn[] {
  const zone = (columns[0]?.left ?? 0) - OUTSIDE;
  const inside = lines.map((line) => line.filter(({ left, right }) => (left + right) / 2 >= zone));
  const groups = groupsOf(columns, inside);
  const read = columns.map((column, index) =>
    readColumn(column, groups[index] ?? column, { lines: inside, count: columns.length, pitch: pitchOf(columns) }),
  );
  for (const [index, column] of read.entries()) {
    if (column.kind === 'change') column.period = changedPeriod(read.slice(0, index));
    if (column.kind === 'share') column.period = read.slice(0, index).findLast(isOfTime)?.period ?? null;
  }
  return withoutDoubles(read);
}

const isOfTime = ({ kind }: FigureColumn): boolean => kind === 'period';

interface HeaderLines {
  lines: readonly (readonly Segment[])[];
  /** Of columns. */
  count: number;
  pitch: number;
}

/** A line that has no part for each column says something of groups of them. */
function readColumn(column: Extent, group: Extent, { lines, count, pitch }: HeaderLines): FigureColumn {
  const header: Segment[] = [];
  for (const line of [...lines].reverse()) {
    const segment = above(line.length < count ? group : column, line, pitch);
    if (segment !== null) header.unshift(segment);
    const period = readPeriod(textOf(header));
    if (period !== null && period.month !== null && period.months !== null) break;
  }
  const text = textOf(header);
  const period = readPeriod(text);
  const kind = CHANGE.test(text) ? 'change' : SHARE.test(text) ? 'share' : period === null ? 'other' : 'period';
  return { ...column, kind, period: kind === 'period' ? period : null, percent: text.includes('%'), header };
}

/** The columns beside each that are said together, where the lowest line says the same again and again, as `2024 2023 2024 2023`. */
function groupsOf(columns: readonly Extent[], lines: readonly (readonly Segment[])[]): Extent[] {
  const lowest = lines.findLast((line) => line.length === columns.length)?.map(({ text }) => text) ?? [];
  const sizes = columns.map((_, index) => index).slice(2);
  const size = sizes.find((one) => columns.length % one === 0 && lowest.every((text, at) => text === lowest[at % one]));
  if (size === undefined || lowest.length === 0) return [...columns];
  return columns.map((column, index) => {
    const first = index - (index % size);
    return { left: columns[first]?.left ?? column.left, right: columns[first + size - 1]?.right ?? column.right };
  });
}

const textOf = (header: readonly Segment[]): string => header.map(({ text }) => text).join(' ');

/** The nearest part of a line; one that stands alone is of all columns. */
function above(column: Extent, line: readonly Segment[], pitch: number): Segment | null {
  const center = (column.left + column.right) / 2;
  const distance = ({ left, right }: Segment): number => Math.max(0, left - column.right, column.left - right);
  const apart = ({ left, right }: Segment): number => Math.abs((left + right) / 2 - center);
  const [nearest] = [...line].sort((one, other) => distance(one) - distance(other) || apart(one) - apart(other));
  if (nearest === undefined) return null;
  return line.length === 1 || distance(nearest) <= pitch ? nearest : null;
}

function pitchOf(columns: readonly Extent[]): number {
  const [first, last] = [columns[0], columns.at(-1)];
  return first === undefined || last === undefined || columns.length < 2
    ? 1
    : (last.right - first.right) / (columns.length - 1);
}

/** The first of the times side by side that stand before a change. */
function changedPeriod(before: readonly FigureColumn[]): Period | null {
  const end = before.findLastIndex(isOfTime);
  let start = end;
  while (start > 0 && before[start - 1] !== undefined && before[start - 1]?.kind !== 'change') start -= 1;
  return before.slice(Math.max(0, start), end + 1).find(isOfTime)?.period ?? null;
}

/** Columns of one time that differ in something else, as the parts of equity, are no series. */
function withoutDoubles(columns: FigureColumn[]): FigureColumn[] {
  const counts = new Map<string, number>();
  const keyOf = ({ period }: FigureColumn): string => (period === null ? '' : keyOfPeriod(period));
  for (const column of columns.filter(isOfTime)) counts.set(keyOf(column), (counts.get(keyOf(column)) ?? 0) + 1);
  return columns.map((column) =>
    isOfTime(column) && (counts.get(keyOf(column)) ?? 0) > 1 ? { ...column, kind: 'other', period: null } : column,
  );
}
