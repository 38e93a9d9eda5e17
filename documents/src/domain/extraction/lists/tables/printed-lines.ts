import { median } from '../../../layout/text-run.js';
import type { Page, Word } from '../../../page-model.js';
import type { Reading, Scope, WordRange } from '../../model/reading.js';

/** Words of a line without a wide gap between them. Places are in units of the page. */
export interface Part extends WordRange {
  left: number;
  right: number;
  text: string;
}

/** What stands side by side, of one line of the reading or of several. */
export interface PrintedLine extends Scope {
  pageNumber: number;
  top: number;
  bottom: number;
  /** 0…1 from the top of the page. */
  place: number;
  /** Usual height of its words. */
  height: number;
  /** From here on a gap parts columns. */
  gap: number;
  /** From left to right. */
  parts: Part[];
  bold: boolean;
}

/** A gap this many times as wide as those between the words of a page parts columns; in heights of a word, within the bounds. */
const WIDE = { times: 1.9, least: 0.35, leastOfPictures: 0.6, most: 1.1 };
const USUAL_SPACE = 0.25;

const known = new WeakMap<Reading, readonly PrintedLine[]>();

/** The lines of a part of a document, but for sheets, which have cells. */
export function printedLines(reading: Reading, { from, to }: Scope): readonly PrintedLine[] {
  let all = known.get(reading);
  if (all === undefined) known.set(reading, (all = readLines(reading)));
  const [first, last] = [lowerBound(all, from), lowerBound(all, to)];
  return first === 0 && last === all.length ? all : all.slice(first, last);
}

/** Above and below this a line may be printed again on every page. */
const EDGES = { head: 0.12, foot: 0.85 };
/** Of the pages, those that have it at least. */
const OFTEN = 0.4;
const repeatedIn = new WeakMap<Reading, ReadonlySet<string>>();

/** Whether a line stands at the head or the foot of a page as it does of others, but for numbers. */
export function isRepeated(line: Pick<PrintedLine, 'place' | 'parts'>, reading: Reading): boolean {
  let repeated = repeatedIn.get(reading);
  if (repeated === undefined) repeatedIn.set(reading, (repeated = repeatedLines(reading)));
  return isAtEdge(line) && repeated.has(lookOf(line));
}

function isAtEdge({ place }: Pick<PrintedLine, 'place'>): boolean {
  return place < EDGES.head || place > EDGES.foot;
}

function lookOf({ place, parts }: Pick<PrintedLine, 'place' | 'parts'>): string {
  return `${Math.round(place * 100)} ${parts.map(({ text }) => text.replaceAll(/\d+/gu, '#')).join(' ')}`;
}

function repeatedLines(reading: Reading): Set<string> {
  const counts = new Map<string, number>();
  for (const line of printedLines(reading, reading.whole).filter(isAtEdge)) {
    counts.set(lookOf(line), (counts.get(lookOf(line)) ?? 0) + 1);
  }
  const least = Math.max(2, reading.pages.length * OFTEN);
  return new Set([...counts].flatMap(([look, count]) => (count >= least ? [look] : [])));
}

function lowerBound(lines: readonly PrintedLine[], at: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.from ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readLines(reading: Reading): PrintedLine[] {
  const lines: PrintedLine[] = [];
  let number = 0;
  for (const page of reading.pages) {
    const widest = widestSpace(page);
    const before = lines.length;
    for (const { first, last } of page.lines) {
      number += 1;
      if (page.unit === 'cell') continue;
      const line = printedLine(page, { pageNumber: page.pageNumber, first, last }, number - 1, widest);
      const above = lines.length > before ? lines.at(-1) : undefined;
      if (above !== undefined && standsBeside(above, line)) join(above, line);
      else lines.push(line);
    }
  }
  return lines;
}

function widestSpace(page: Page): number {
  const spaces = page.lines.flatMap(({ first, last }) => {
    const words = page.words.slice(first, last + 1);
    return words.slice(1).map((word, at) => gapBetween(page, words[at] ?? word, word));
  });
  const usual = median(spaces.filter((space) => space > 0.02 && space < WIDE.most)) || USUAL_SPACE;
  const least = page.source === 'text_layer' ? WIDE.least : WIDE.leastOfPictures;
  return Math.min(WIDE.most, Math.max(least, usual * WIDE.times));
}

/** In heights of a word. */
function gapBetween({ width, height }: Page, before: Word, word: Word): number {
  const tall = Math.max(before.box[3], word.box[3]) * height;
  return tall <= 0 ? 0 : ((word.box[0] - before.box[0] - before.box[2]) * width) / tall;
}

function printedLine(page: Page, range: WordRange, number: number, widest: number): PrintedLine {
  const words = page.words.slice(range.first, range.last + 1);
  const parts: Part[] = [];
  let from = 0;
  for (let at = 1; at <= words.length; at++) {
    const [before, word] = [words[at - 1], words[at]];
    if (before === undefined) continue;
    if (word !== undefined && gapBetween(page, before, word) <= widest && !endsNumber(before, word)) continue;
    parts.push(partOf(page, { ...range, first: range.first + from, last: range.first + at - 1 }));
    from = at;
  }
  const top = Math.min(...words.map(({ box }) => box[1])) * page.height;
  const bottom = Math.max(...words.map(({ box }) => box[1] + box[3])) * page.height;
  const height = median(words.map(({ box }) => box[3])) * page.height;
  const bold = words.every((word) => word.bold === true);
  const where = { pageNumber: page.pageNumber, from: number, to: number + 1, top, bottom, place: top / page.height };
  return { ...where, height, bold, gap: widest * height, parts: parts.sort((a, b) => a.left - b.left) };
}

/** Two amounts, or an amount and a rate, are two values however near they stand. */
function endsNumber(before: Word, word: Word): boolean {
  return /\d(?:[.,]\d{2}|%)$/u.test(before.text) && /^[-+(]?[$€£¥]?\d/u.test(word.text);
}

export function partOf(page: Page, range: WordRange): Part {
  const words = page.words.slice(range.first, range.last + 1);
  let [left, right] = [Infinity, -Infinity];
  for (const { box } of words) {
    left = Math.min(left, box[0] * page.width);
    right = Math.max(right, (box[0] + box[2]) * page.width);
  }
  return { ...range, left, right, text: words.map(({ text }) => text).join(' ') };
}

function standsBeside(above: PrintedLine, line: PrintedLine): boolean {
  const shared = Math.min(above.bottom, line.bottom) - Math.max(above.top, line.top);
  const lower = Math.min(above.bottom - above.top, line.bottom - line.top);
  if (shared < lower * 0.5) return false;
  return line.parts.every((part) => above.parts.every((other) => part.left >= other.right || part.right <= other.left));
}

function join(above: PrintedLine, line: PrintedLine): void {
  above.to = line.to;
  above.top = Math.min(above.top, line.top);
  above.bottom = Math.max(above.bottom, line.bottom);
  above.height = Math.max(above.height, line.height);
  above.bold &&= line.bold;
  above.parts = [...above.parts, ...line.parts].sort((a, b) => a.left - b.left);
}
