import type { FlowLine } from './flow.js';

/** References with the number that the last of them has, where they are numbered. */
export interface SplitReferences {
  entries: FlowLine[][];
  lastNumber: number | null;
}

const NUMBER = /^[[(]?(\d{1,3})[\])]?\.?$/u;
/** A number may be missed by recognition, not many. */
const MOST_MISSED = 3;
const SAME = 0.006;
/** Share of the lines of a page that begin where references begin. */
const MANY = 0.12;
const BEGINS_AUTHOR = /^\p{Lu}[\p{L}'’-]+(?:,| \p{Lu}|\s+and\b)/u;

/** The references of a list of works: by their numbers, by signs before them, by the indent of what goes on. */
export function splitReferences(lines: readonly FlowLine[]): SplitReferences {
  const numbered = byNumbers(lines);
  if (numbered !== null) return numbered;
  const marked = lines.filter(({ mark }) => mark !== '').length;
  if (marked >= 2 && marked >= lines.length / 6)
    return { entries: startingAt(lines, ({ mark }) => mark !== ''), lastNumber: null };
  return { entries: startingAt(lines, beginningOf(lines)), lastNumber: null };
}

function byNumbers(lines: readonly FlowLine[]): SplitReferences | null {
  const starts = new Set<FlowLine>();
  let last = 0;
  for (const line of lines) {
    const number = Number(NUMBER.exec(line.mark)?.[1] ?? 0);
    if (number <= last || number > last + MOST_MISSED) continue;
    last = number;
    starts.add(line);
  }
  if (starts.size < 2 || starts.size < lines.length / 12) return null;
  return { entries: startingAt(lines, (line) => starts.has(line)), lastNumber: last };
}

function startingAt(
  lines: readonly FlowLine[],
  isStart: (line: FlowLine, before: FlowLine | undefined) => boolean,
): FlowLine[][] {
  const entries: FlowLine[][] = [];
  for (const [index, line] of lines.entries()) {
    if (isStart(line, lines[index - 1])) entries.push([line]);
    else entries.at(-1)?.push(line);
  }
  return entries;
}

/** Lines that begin left of those that go on; where none are indented, lines that begin with a name after the end of a reference. */
function beginningOf(lines: readonly FlowLine[]): (line: FlowLine, before: FlowLine | undefined) => boolean {
  const byPlace = Map.groupBy(lines, placeOf);
  const lefts = new Map([...byPlace].map(([place, own]) => [place, commonLefts(own)]));
  return (line, before) => {
    const [outer, inner] = lefts.get(placeOf(line)) ?? [];
    if (outer !== undefined && inner !== undefined) return line.left <= outer + SAME;
    return BEGINS_AUTHOR.test(line.text) && (before === undefined || /[.\d]$/u.test(before.text));
  };
}

/** Half of a page. */
function placeOf({ at, left }: FlowLine): string {
  return `${at.pageNumber}/${left > 0.45 ? 'right' : 'left'}`;
}

/** Where many lines begin, from the left. */
function commonLefts(lines: readonly FlowLine[]): number[] {
  const counts = new Map<number, number>();
  for (const { left } of lines) {
    const rounded = Math.round(left / SAME) * SAME;
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  const common = [...counts].filter(([, count]) => count >= MANY * lines.length).map(([left]) => left);
  return common
    .sort((one, other) => one - other)
    .filter((left, index, all) => index === 0 || left - (all[index - 1] ?? 0) > 1.5 * SAME);
}
