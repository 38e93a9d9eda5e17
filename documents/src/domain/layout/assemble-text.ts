import type { Box, Line, Page, Word } from '../page-model.js';
import { boxOfRuns, orderLines } from './reading-order.js';
import { bottom, right, type TextRun } from './text-run.js';

/** Fractions are kept to a hundred-thousandth: a fraction of a pixel of any picture of the page, and few bytes. */
const PRECISION = 1e5;

export type AssembledText = Pick<Page, 'text' | 'words' | 'lines'>;

/** Text, words and lines of a page of `width` × `height` units, in reading order. */
export function assembleText(runs: readonly TextRun[], width: number, height: number): AssembledText {
  const words: Word[] = [];
  const lines: Line[] = [];
  let text = '';
  for (const line of orderLines(runs)) {
    const first = words.length;
    for (const word of line.flatMap((run) => run.words)) {
      if (text !== '') text += words.length === first ? '\n' : ' ';
      const from = text.length;
      words.push({ ...word, box: toFractions(word.box, width, height), from, to: from + word.text.length });
      text += word.text;
    }
    if (words.length > first)
      lines.push({ first, last: words.length - 1, box: toFractions(boxOfRuns(line), width, height) });
  }
  return { text, words, lines };
}

/** A box in fractions of its page; what stands beyond the page is cut off. */
export function toFractions(box: Box, width: number, height: number): Box {
  const [left, top] = [fraction(box[0], width), fraction(box[1], height)];
  return [left, top, round(fraction(right(box), width) - left), round(fraction(bottom(box), height) - top)];
}

/** A place in fractions of a side of the page. */
export const fraction = (value: number, side: number): number => round(Math.min(1, Math.max(0, value / side)));

const round = (value: number): number => Math.round(value * PRECISION) / PRECISION;
