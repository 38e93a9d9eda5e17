import type { Box } from '../../page-model.js';
import type { Reading, WordRange } from '../model/reading.js';

/** Words that are read as one text: a part of a line between wide gaps, or the lines of a paragraph. */
export interface TextBlock {
  /** Its place among the blocks of the document, which is that of reading. */
  index: number;
  pageNumber: number;
  /** One for each line. */
  ranges: readonly WordRange[];
  /** Its first line among those of the document, and its last. */
  firstLine: number;
  lastLine: number;
  /** The words, joined by one blank. */
  text: string;
  /** Where each word begins in the text. */
  offsets: readonly number[];
  /** Around all its words. */
  box: Box;
  /** Height of a line, as a share of the page. */
  lineHeight: number;
  isBold: boolean;
}

/** The ranges of words that hold the characters from `from` to `to` of a block. */
export function rangesOf(block: TextBlock, from: number, to: number): WordRange[] {
  const first = wordAt(block, from);
  const last = wordAt(block, Math.max(from, to - 1));
  let passed = 0;
  return block.ranges.flatMap((range) => {
    const count = range.last - range.first + 1;
    const [start, end] = [Math.max(first - passed, 0), Math.min(last - passed, count - 1)];
    passed += count;
    return start >= count || end < 0 ? [] : [{ ...range, first: range.first + start, last: range.first + end }];
  });
}

/** Which word of a block holds a character. */
export function wordAt({ offsets }: TextBlock, character: number): number {
  let [low, high] = [0, offsets.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((offsets[middle] ?? 0) <= character) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A gap so wide, in heights of the line, parts what is no sentence. */
const WIDE_GAP = 1.1;
/** A line that reaches so far into the width of its page's text goes on in the next one. */
const FULL = 0.86;
const NEAR_LINES = 1.9;
const WORDS_OF_PROSE = 6;
const SAME_EDGE = 0.015;
const INDENT = 0.08;

/** All blocks of a document in reading order, each word in one. */
export function blocksOf(reading: Reading): TextBlock[] {
  const blocks: TextBlock[] = [];
  let open: Piece[] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push(blockOf(open, blocks.length, reading));
    open = [];
  };
  const widths = textWidths(reading);
  for (const [line, { pageNumber }] of reading.lines.entries()) {
    const pieces = piecesOf(line, reading);
    const [only] = pieces;
    const last = open.at(-1);
    if (pieces.length === 1 && only !== undefined && last !== undefined && goesOn(last, only, widths.get(pageNumber))) {
      open.push(only);
      continue;
    }
    close();
    if (pieces.length === 1 && only !== undefined) open = [only];
    else for (const piece of pieces) blocks.push(blockOf([piece], blocks.length, reading));
  }
  close();
  return blocks;
}

interface Piece {
  line: number;
  range: WordRange;
  box: Box;
}

/** Left and right edge of the text of each page. */
function textWidths(reading: Reading): ReadonlyMap<number, readonly [number, number]> {
  return new Map(
    reading.pages.map(({ pageNumber, lines }) => {
      const wide = lines.filter(({ box }) => box[2] > 0.3);
      const left = Math.min(1, ...wide.map(({ box }) => box[0]));
      const right = Math.max(0, ...wide.map(({ box }) => box[0] + box[2]));
      return [pageNumber, [left, right]];
    }),
  );
}

function goesOn(above: Piece, next: Piece, width: readonly [number, number] | undefined): boolean {
  if (above.range.pageNumber !== next.range.pageNumber || width === undefined) return false;
  const [left, right] = width;
  const [x, y, w, h] = above.box;
  // A column of its own is as wide as its longest lines, which the page alone does not tell.
  const isLong = above.range.last - above.range.first + 1 >= WORDS_OF_PROSE && w > 0.3;
  const reaches = (x + w - left) / (right - left) >= FULL || w >= next.box[2] * 0.95;
  // Lines of a paragraph begin below each other, but for the first; lines in the middle of a page do not.
  const shift = next.box[0] - x;
  const isAligned = Math.abs(shift) < SAME_EDGE || (shift < 0 && shift > -INDENT);
  return isLong && reaches && isAligned && next.box[1] > y && next.box[1] - y <= h * NEAR_LINES;
}

function piecesOf(line: number, reading: Reading): Piece[] {
  const whole = reading.lines[line];
  if (whole === undefined) return [];
  const page = reading.page(whole.pageNumber);
  const ratio = page.height / page.width;
  const gap = whole.box[3] * ratio * WIDE_GAP;
  const pieces: Piece[] = [];
  let first = whole.first;
  for (let word = whole.first; word <= whole.last; word += 1) {
    const [here, next] = [page.words[word], page.words[word + 1]];
    const isLast = word === whole.last || here === undefined || next === undefined;
    if (!isLast && here.cell === next.cell && next.box[0] - (here.box[0] + here.box[2]) <= gap) continue;
    const range = { pageNumber: whole.pageNumber, first, last: word };
    pieces.push({ line, range, box: around(page.words.slice(first, word + 1).map(({ box }) => box)) });
    first = word + 1;
  }
  return pieces;
}

function blockOf(pieces: readonly Piece[], index: number, reading: Reading): TextBlock {
  const words = pieces.flatMap(({ range }) => reading.wordsOf(range));
  const offsets: number[] = [];
  let text = '';
  for (const word of words) {
    if (text !== '') text += ' ';
    offsets.push(text.length);
    text += word.text;
  }
  const [first, last] = [pieces[0], pieces.at(-1)];
  return {
    ...{ index, text, offsets, ranges: pieces.map(({ range }) => range), pageNumber: first?.range.pageNumber ?? 1 },
    ...{ firstLine: first?.line ?? 0, lastLine: last?.line ?? 0, box: around(pieces.map(({ box }) => box)) },
    lineHeight: Math.max(...pieces.map(({ box }) => box[3])),
    isBold: words.every(({ bold }) => bold === true),
  };
}

/** Blocks that stand beside each other on one line, as one. */
export function joinBlocks(first: TextBlock, others: readonly TextBlock[]): TextBlock {
  return others.reduce((joined, { text, offsets, ranges, box, lineHeight, isBold }) => {
    const start = joined.text.length + 1;
    return {
      ...joined,
      text: `${joined.text} ${text}`,
      offsets: [...joined.offsets, ...offsets.map((offset) => offset + start)],
      ranges: joinRanges([...joined.ranges, ...ranges]),
      box: around([joined.box, box]),
      lineHeight: Math.max(joined.lineHeight, lineHeight),
      isBold: joined.isBold && isBold,
    };
  }, first);
}

/** Ranges that follow each other without a word between them are one. */
function joinRanges(ranges: readonly WordRange[]): WordRange[] {
  const joined: WordRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    const goesOn = last?.pageNumber === range.pageNumber && last.last + 1 === range.first;
    if (goesOn) joined[joined.length - 1] = { ...last, last: range.last };
    else joined.push(range);
  }
  return joined;
}

function around(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}
