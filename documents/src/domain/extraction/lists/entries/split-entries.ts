import { saysDate, saysSpan } from './dates-of-entry.js';
import type { FlowLine } from './flow.js';

/** The lines of one item of a section. */
export interface EntryLines {
  /** Who, what and when. */
  head: FlowLine[];
  /** What is said of it below. */
  body: FlowLine[];
  /** The line above several entries that are points of a list. */
  caption: FlowLine | null;
}

const INDENT = 0.008;
/** Share of the points of a list that say when, for them to be entries of their own. */
const MOST = 0.6;
/** A gap above an entry, against those between lines. */
const WIDE = 1.5;

/** The entries of a section: by its points, by bold lines, by spans of time, by room between them. */
export function splitEntries(lines: readonly FlowLine[]): EntryLines[] {
  return runsOf(lines).flatMap(({ heads, points }) => entriesOfRun(heads, points));
}

interface Run {
  heads: FlowLine[];
  /** Each with the lines that go on with it. */
  points: FlowLine[][];
}

/** Lines without a sign of a list, and the points that follow them. */
function runsOf(lines: readonly FlowLine[]): Run[] {
  const runs: Run[] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    const point = run?.points.at(-1);
    if (line.mark !== '') {
      if (run === undefined) runs.push({ heads: [], points: [[line]] });
      else run.points.push([line]);
    } else if (point !== undefined && goesOn(line, point)) point.push(line);
    else if (run === undefined || run.points.length > 0) runs.push({ heads: [line], points: [] });
    else run.heads.push(line);
  }
  return runs;
}

/** What goes on with a point is indented, or goes on in small letters, or stands on the next page at the same indent. */
function goesOn(line: FlowLine, point: readonly FlowLine[]): boolean {
  const [first] = point;
  if (first === undefined || line.isBold !== first.isBold) return false;
  return (
    line.left > first.left + INDENT ||
    (/^\d/u.test(first.mark) && line.left > first.left - INDENT) ||
    /^\p{Ll}/u.test(line.text)
  );
}

function entriesOfRun(heads: readonly FlowLine[], points: readonly FlowLine[][]): EntryLines[] {
  const entries = splitHeads(heads);
  const last = entries.at(-1);
  const dated = points.filter((point) => point.some(({ text }) => saysDate(text))).length;
  const isDatedList = dated >= 2 && dated >= MOST * points.length;
  const isCaption = last !== undefined && ![...last.head, ...last.body].some(({ text }) => saysDate(text));
  if (points.length > 0 && (last === undefined || (isDatedList && isCaption))) {
    const caption = last?.head[0] ?? null;
    const each = points.map(([first, ...rest]) => ({ head: first === undefined ? [] : [first], body: rest, caption }));
    return [...entries.slice(0, -1), ...each];
  }
  last?.body.push(...points.flat());
  return entries;
}

function splitHeads(lines: readonly FlowLine[]): EntryLines[] {
  const starts = startsByBold(lines) ?? startsByDates(lines) ?? startsByRoom(lines);
  return starts.map((start, index) => entryOf(lines.slice(start, starts[index + 1] ?? lines.length)));
}

/** The head goes as far as the line that says when; without one it is the first line. */
function entryOf(lines: readonly FlowLine[]): EntryLines {
  const when = lines.findIndex(({ text }) => saysSpan(text));
  const any = when >= 0 ? when : lines.findIndex(({ text }) => saysDate(text));
  const length = any >= 0 && any < 4 ? any + 1 : 1;
  return { head: lines.slice(0, length), body: lines.slice(length), caption: null };
}

function startsByBold(lines: readonly FlowLine[]): number[] | null {
  const bold = lines.flatMap(({ isBold }, index) => (isBold && lines[index - 1]?.isBold !== true ? [index] : []));
  return bold.length > 0 && bold[0] === 0 && lines.some(({ isBold }) => !isBold) ? bold : null;
}

/** Every entry has its span of time as many lines below its beginning as the first has. */
function startsByDates(lines: readonly FlowLine[]): number[] | null {
  const spans = lines.flatMap(({ text }, index) => (saysSpan(text) ? [index] : []));
  const [first] = spans;
  if (first === undefined || first > 3) return null;
  const starts = spans.map((index) => index - first);
  return starts.every((start, index) => index === 0 || start > (spans[index - 1] ?? 0))
    ? starts
    : spans.map((_, index) => (index === 0 ? 0 : (spans[index - 1] ?? 0) + 1));
}

function startsByRoom(lines: readonly FlowLine[]): number[] {
  const rooms = lines.map((line, index) => roomAbove(line, lines[index - 1]));
  const usual = [...rooms.slice(1)].sort((one, other) => one - other)[Math.floor((rooms.length - 1) / 2)] ?? 0;
  return lines.flatMap((_, index) => (index === 0 || (rooms[index] ?? 0) > WIDE * usual ? [index] : []));
}

function roomAbove(line: FlowLine, before: FlowLine | undefined): number {
  if (before === undefined || before.at.pageNumber !== line.at.pageNumber) return 0;
  return line.top - before.top;
}
