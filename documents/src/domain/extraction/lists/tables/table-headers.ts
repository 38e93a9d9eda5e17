import type { HeaderSense } from './header-sense.js';
import { headerWords } from './header-words.js';
import { isNumeric } from './found-table.js';
import type { Part, PrintedLine } from './printed-lines.js';

/** Names of columns, one above the other where they stand on several lines. */
export interface HeaderCell {
  left: number;
  right: number;
  parts: Part[];
}

/** Where columns are named: lines from `from` to `to`, `to` excluded, as places in the row of printed lines. */
export interface PrintedHeader {
  from: number;
  to: number;
  cells: HeaderCell[];
  /** Leaves that it seems to name. */
  named: number;
}

const NAMES_A_LEAF = 0.4;
const SMALL = /^(?:of|the|a|an|and|or|to|in|on|at|by|for|from|with|as|is|are|be|shall|that|which)$/u;
/** Words of the name of a column at most. */
const LONGEST = 7;
/** Lines of a header stand closer than this, in heights of a word. */
const STACKED = 0.45;
const MOST_LINES = 3;

/** All headers in order, by what they say or by what stands below them. */
export function findHeaders(lines: readonly PrintedLine[], sense: HeaderSense): PrintedHeader[] {
  const found: PrintedHeader[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined || !mayBeHeader(line)) continue;
    const named = namedIn(line, sense);
    if (named === 0) continue;
    // One word that fits stands in many lines; what is below has to be a table.
    if (!(named >= 2 ? hasDataBelow(lines, at) : isOverNumbers(lines, at))) continue;
    const header = stacked(lines, at, sense, found.at(-1)?.to ?? 0);
    found.push({ ...header, named });
    at = header.to - 1;
  }
  return found;
}

const mayBeKnown = new WeakMap<PrintedLine, boolean>();

/** For every list the same. */
function mayBeHeader(line: PrintedLine): boolean {
  let mayBe = mayBeKnown.get(line);
  if (mayBe === undefined) mayBeKnown.set(line, (mayBe = looksLikeHeader(line)));
  return mayBe;
}

function looksLikeHeader({ parts }: PrintedLine): boolean {
  if (parts.length < 2) return false;
  const isName = ({ text }: Part): boolean =>
    !isValue(text) && !text.endsWith(':') && text.split(' ').length <= LONGEST;
  // Prose whose words stand wide apart.
  if (parts.filter(({ text }) => SMALL.test(text)).length >= 2) return false;
  return parts.filter(isName).length * 3 >= parts.length * 2 && parts.some(({ text }) => /\p{L}{2}/u.test(text));
}

function isValue(text: string): boolean {
  return /^\W*\d[\d.,:/-]*\W*$/u.test(text) || /[@]|\d{3}/u.test(text);
}

/** How many leaves the parts of a line name, each another one. */
function namedIn(line: PrintedLine, sense: HeaderSense): number {
  const taken = new Set<number>();
  for (const words of wordsOfParts(line)) {
    if (!sense.mayName(words)) continue;
    const scores = sense.of(words);
    let best = -1;
    scores.forEach((score, leaf) => {
      if (!taken.has(leaf) && score >= NAMES_A_LEAF && score > (scores[best] ?? 0)) best = leaf;
    });
    if (best >= 0) taken.add(best);
  }
  return taken.size;
}

const wordsKnown = new WeakMap<PrintedLine, string[][]>();

/** For every list the same. */
function wordsOfParts(line: PrintedLine): string[][] {
  let words = wordsKnown.get(line);
  if (words === undefined) wordsKnown.set(line, (words = line.parts.map(({ text }) => headerWords(text))));
  return words;
}

function hasDataBelow(lines: readonly PrintedLine[], at: number): boolean {
  return below(lines, at, 6, 8).some(({ parts }) => parts.length >= 2);
}

/** A row of texts over a row of about as many, with numbers: names of columns, whatever they say. */
function isOverNumbers(lines: readonly PrintedLine[], at: number): boolean {
  const header = lines[at];
  if (header === undefined || header.parts.length < 3 || header.parts.some(({ text }) => isNumeric(text))) return false;
  return below(lines, at, 6, 9).some(({ parts }) => {
    const numbers = parts.filter(({ text }) => isNumeric(text));
    const isUnderOne = (part: Part): boolean => header.parts.some((name) => overlaps(name, part));
    return parts.length * 5 >= header.parts.length * 3 && numbers.length > 0 && numbers.every(isUnderOne);
  });
}

/** The next lines, as long as they are near. */
function below(lines: readonly PrintedLine[], at: number, count: number, heights: number): PrintedLine[] {
  const header = lines[at];
  if (header === undefined) return [];
  return lines
    .slice(at + 1, at + 1 + count)
    .filter((line) => line.pageNumber === header.pageNumber && line.top - header.bottom < header.height * heights);
}

function stacked(
  lines: readonly PrintedLine[],
  main: number,
  sense: HeaderSense,
  after: number,
): Pick<PrintedHeader, 'from' | 'to' | 'cells'> {
  let [from, to] = [main, main + 1];
  const cells = (lines[main]?.parts ?? []).map((part): HeaderCell => ({ ...part, parts: [part] }));
  while (to - from < MOST_LINES && goesOn(lines[to - 1], lines[to], lines[to + 1], cells, sense)) {
    addLine(cells, lines[to]?.parts ?? [], true);
    to += 1;
  }
  while (to - from < MOST_LINES && from > after && beginsAbove(lines[from - 1], lines[from], cells, sense)) {
    from -= 1;
    addLine(cells, lines[from]?.parts ?? [], false);
  }
  return { from, to, cells: cells.sort((a, b) => a.left - b.left) };
}

function goesOn(
  above: PrintedLine | undefined,
  line: PrintedLine | undefined,
  next: PrintedLine | undefined,
  cells: readonly HeaderCell[],
  sense: HeaderSense,
): boolean {
  if (above === undefined || line?.pageNumber !== above.pageNumber) return false;
  const gap = line.top - above.bottom;
  if (gap > above.height * STACKED || line.parts.some(({ text }) => isValue(text) || text.includes(':'))) return false;
  if (line.parts.length * 2 > cells.length && line.bold === (next?.bold ?? false)) return false;
  const named = wordsOfParts(line).some((words) => sense.mayName(words));
  if (named || line.parts.length > 1) return true;
  // Lines as far apart as all that follow are rows; the first one may be the title of a group.
  const isEven = next?.pageNumber === line.pageNumber && next.top - line.bottom < gap + line.height * 0.3;
  return !isEven && cells.some((cell) => line.parts.some((part) => overlaps(cell, part)));
}

function beginsAbove(
  line: PrintedLine | undefined,
  header: PrintedLine | undefined,
  cells: readonly HeaderCell[],
  sense: HeaderSense,
): boolean {
  if (line === undefined || header === undefined || line.pageNumber !== header.pageNumber) return false;
  if (header.top - line.bottom > header.height * STACKED || line.parts.some(({ text }) => isValue(text))) return false;
  if (line.bold !== header.bold || line.parts.some(({ text }) => text.includes(':'))) return false;
  const isOver = line.parts.every((part) => cells.some((cell) => overlaps(cell, part)));
  return isOver && wordsOfParts(line).some((words) => sense.mayName(words));
}

/** A text over or below one cell belongs to it, one over several to all of them, another one is a cell. */
function addLine(cells: HeaderCell[], parts: readonly Part[], isBelow: boolean): void {
  for (const part of parts) {
    const near = cells.filter((cell) => overlaps(cell, part));
    for (const cell of near) {
      cell.parts = isBelow ? [...cell.parts, part] : [part, ...cell.parts];
      if (near.length > 1) continue;
      cell.left = Math.min(cell.left, part.left);
      cell.right = Math.max(cell.right, part.right);
    }
    if (near.length === 0) cells.push({ left: part.left, right: part.right, parts: [part] });
  }
}

export function overlaps(a: { left: number; right: number }, b: { left: number; right: number }): boolean {
  return a.left < b.right && b.left < a.right;
}
