import type { Page, Word } from '../../../page-model.js';
import type { ReadLine, Reading, WordRange } from '../../model/reading.js';

/** A line as a person reads it: of one column, and without the sign of a list before it. */
export interface FlowLine {
  at: WordRange;
  text: string;
  left: number;
  top: number;
  right: number;
  height: number;
  /** What stands before it in a list, as `•` or `3.`; empty without one. */
  mark: string;
  isBold: boolean;
  /** In points; 0 where it is not known. */
  size: number;
  /** Its line in the document. */
  number: number;
  /** Whether it begins a column beside another of a different width, with which it has nothing to do. */
  isBeside: boolean;
}

/** A gap between two columns, in heights of the line. */
const GAP = 2.2;
/** Share of the pieces of a page that each column has, and that may stand across both. */
const LEAST_OF_COLUMN = 0.15;
const MOST_ACROSS = 0.08;
/** How far from the middle of the page a column begins that is not as wide as the other, as a share of the page. */
const UNEQUAL = 0.06;
/** The edge of a page, as a share of it, and on how many of them what stands there alike is no text. */
const EDGE = 0.09;
const REPEATED = 3;
const BULLET = /^[•●▪■◦○‣·∙*»›➢➤✓✔□\uE000-\uF8FF–—-]$/u;
/** What recognition makes of a round dot. */
const BULLET_OF_PICTURE = /^(?:[eo°©®¢«*.]|lo)$/u;
const NUMBER = /^(?:\[\d{1,3}\]|\(?\d{1,3}[.)])$/u;

/** The lines of a document in the order in which they are read, those of columns that were taken for one apart. */
export function flowOf(reading: Reading): FlowLine[] {
  const byPage = Map.groupBy(
    reading.lines.map((line, number) => ({ line, number })),
    ({ line }) => line.pageNumber,
  );
  const flow = [...byPage].flatMap(([pageNumber, lines]) => markColumns(flowOfPage(lines, reading.page(pageNumber))));
  return withoutEdges(flow);
}

/** Without running titles and page numbers, which stand at the edge of several pages alike. */
function withoutEdges(lines: readonly FlowLine[]): FlowLine[] {
  const isAtEdge = ({ top }: FlowLine): boolean => top < EDGE || top > 1 - EDGE;
  const pages = new Map<string, Set<number>>();
  for (const line of lines.filter(isAtEdge)) {
    pages.set(plainOf(line), (pages.get(plainOf(line)) ?? new Set()).add(line.at.pageNumber));
  }
  return lines.filter((line) => !isAtEdge(line) || (pages.get(plainOf(line))?.size ?? 0) < REPEATED);
}

const plainOf = ({ text, mark }: FlowLine): string => `${mark}${text}`.replaceAll(/\d+/gu, '#');

/** Columns of an article are as wide as each other, and one goes on with the other; a narrow one beside a wide one does not. */
function markColumns(lines: FlowLine[]): FlowLine[] {
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const isRight = before !== undefined && line.top < before.top - 0.1 && line.left > before.left + 0.15;
    if (isRight) line.isBeside = Math.abs(leftOfColumn(lines.slice(index)) - 0.5) > UNEQUAL;
  }
  return lines;
}

/** Where lines begin as far as the end of their column. */
function leftOfColumn(lines: readonly FlowLine[]): number {
  const end = lines.findIndex(({ top }, index) => top < (lines[index - 1]?.top ?? 0) - 0.1);
  return Math.min(...lines.slice(0, end < 0 ? lines.length : end).map(({ left }) => left));
}

interface Piece {
  first: number;
  last: number;
  number: number;
  words: readonly Word[];
}

function flowOfPage(lines: readonly { line: ReadLine; number: number }[], page: Page): FlowLine[] {
  const split = lines.map((one) => piecesOf(one, page));
  const gutter = gutterOf(split);
  if (gutter === null) return lines.flatMap(({ line, number }) => flowLine(wholeOf(line, number, page), page) ?? []);
  const pieces = split.flatMap((parts) => joinedBeside(parts, gutter));
  const inOrder = [
    ...pieces.filter((piece) => leftOf(piece) < gutter),
    ...pieces.filter((piece) => leftOf(piece) >= gutter),
  ];
  return inOrder.flatMap((piece) => flowLine(piece, page) ?? []);
}

function wholeOf({ first, last }: ReadLine, number: number, page: Page): Piece {
  return { first, last, number, words: page.words.slice(first, last + 1) };
}

/** The parts of a line between which is more room than between words. */
function piecesOf({ line, number }: { line: ReadLine; number: number }, page: Page): Piece[] {
  const pieces: Piece[] = [];
  for (let at = line.first; at <= line.last; at += 1) {
    const word = page.words[at];
    if (word === undefined) continue;
    const open = pieces.at(-1);
    const before = open?.words.at(-1);
    const gap = before === undefined ? 0 : (word.box[0] - before.box[0] - before.box[2]) * page.width;
    if (open === undefined || gap > GAP * heightOf(word, page))
      pieces.push({ first: at, last: at, number, words: [word] });
    else Object.assign(open, { last: at, words: [...open.words, word] });
  }
  return pieces;
}

/** Height of its letters; the box of a word of a picture may be higher. */
function heightOf(word: Word, page: Page): number {
  return word.fontSize ?? Math.min(word.box[3] * page.height, 0.014 * page.height);
}

const leftOf = ({ words }: Piece): number => words[0]?.box[0] ?? 0;
const rightOf = ({ words }: Piece): number => {
  const last = words.at(-1);
  return last === undefined ? 0 : last.box[0] + last.box[2];
};

/** Where the second of two columns begins, whose lines stand beside each other as one; null for a page without such. */
function gutterOf(lines: readonly (readonly Piece[])[]): number | null {
  const starts = lines.flatMap((parts) => parts.slice(1).map(leftOf)).filter((left) => left > 0.25 && left < 0.8);
  if (starts.length < 3) return null;
  const pieces = lines.flat();
  const sorted = [...new Set(starts)].sort((one, other) => one - other);
  const good = sorted.find((left) => {
    const edge = left - 0.005;
    const [before, after] = [pieces.filter((one) => rightOf(one) <= edge), pieces.filter((one) => leftOf(one) >= edge)];
    const across = pieces.length - before.length - after.length;
    const least = Math.min(before.length, after.length) / pieces.length;
    return least >= LEAST_OF_COLUMN && across / pieces.length <= MOST_ACROSS;
  });
  return good === undefined ? null : good - 0.005;
}

/** Only a gap at the gutter divides a line. */
function joinedBeside(parts: readonly Piece[], gutter: number): Piece[] {
  const joined: Piece[] = [];
  for (const part of parts) {
    const open = joined.at(-1);
    const isDivided = open !== undefined && leftOf(open) < gutter && leftOf(part) >= gutter;
    if (open === undefined || isDivided) joined.push({ ...part });
    else Object.assign(open, { last: part.last, words: [...open.words, ...part.words] });
  }
  return joined;
}

function flowLine({ first, last, number, words }: Piece, page: Page): FlowLine | null {
  const { mark, count } = markOf(words, page);
  const own = words.slice(count);
  const [start, end] = [own[0], own.at(-1)];
  if (start === undefined || end === undefined) return null;
  return {
    at: { pageNumber: page.pageNumber, first: first + count, last },
    text: own.map(({ text }) => text).join(' '),
    left: words[0]?.box[0] ?? start.box[0],
    top: start.box[1],
    right: end.box[0] + end.box[2],
    height: Math.max(...own.map(({ box }) => box[3])),
    mark,
    isBold: own.filter(({ bold }) => bold === true).length > own.length / 2,
    size: start.fontSize ?? 0,
    number,
    isBeside: false,
  };
}

function markOf(words: readonly Word[], page: Page): { mark: string; count: number } {
  const [text = '', next = ''] = words.map((word) => word.text);
  if (BULLET.test(text) || NUMBER.test(text)) return { mark: text, count: 1 };
  if (/^\d{1,3}$/u.test(text) && next === '.') return { mark: `${text}.`, count: 2 };
  const isOfPicture = words[0]?.source === 'ocr' || page.source === 'ocr';
  return isOfPicture && BULLET_OF_PICTURE.test(text) ? { mark: text, count: 1 } : { mark: '', count: 0 };
}
