import type { Word } from '../../../page-model.js';
import type { ReadLine, Reading, WordRange } from '../../model/reading.js';

/** A number as a row prints it. */
export interface Figure {
  /** The words of the number alone. */
  at: WordRange;
  /** What is printed, without a sign of currency or percent beside it. */
  raw: string;
  left: number;
  right: number;
  /** The word that says its currency or `%`, where one stands beside it. */
  unit: WordRange | null;
}

/** A line that names something and gives numbers for it. */
export interface FigureRow {
  line: ReadLine;
  /** The words of its name; none for a row of numbers alone. */
  label: string;
  labelAt: WordRange | null;
  figures: Figure[];
}

const NUMBER = /^[($€£¥]*[-–−]?[($€£¥]*\d[\d,]*(?:\.\d+)?\)?%?\)?$/u;
const FRACTION = /^[($€£¥]*[-–−]?\.\d+\)?%?$/u;
const DASH = /^\$?[-–—−]+$/u;
const CURRENCY = /^[$€£¥]$/u;
const NO_NUMBER = /^(?:n\/?m|n\/?a|nm\*|\*)$/iu;
const AFTER = /^(?:%|\)%?|bps|pts|pp)$/u;
const YEAR = /^(?:19|20)\d\d$/u;
/** A gap before a number, in heights of the line, that no blank between words has. */
const GAP = 0.9;

/** The numbers at the end of a line, and the words before them. Null for a line that ends with none. */
export function readFigureRow(line: ReadLine, reading: Reading): FigureRow | null {
  const words = reading.wordsOf(line);
  const page = reading.page(line.pageNumber);
  let start = firstFigureOf(words);
  // Numbers that end the name of a row follow its words.
  while (start < words.length && !standsApart(words, start, page)) start += 1;
  const { pageNumber, first } = line;
  const figures = figuresOf(words.slice(start), { pageNumber, offset: first + start });
  if (figures.length === 0) return null;
  const label = words.slice(0, start).map(({ text }) => text);
  return {
    line,
    label: label.join(' '),
    labelAt: start === 0 ? null : { pageNumber, first, last: first + start - 1 },
    figures,
  };
}

/** Whether a row gives nothing but years, as a header does. */
export function givesYearsAlone({ figures }: FigureRow): boolean {
  return figures.every(({ raw }) => YEAR.test(raw));
}

function firstFigureOf(words: readonly Word[]): number {
  let start = words.length;
  while (start > 0 && isPartOfFigure(words[start - 1]?.text ?? '')) start -= 1;
  return start;
}

function isPartOfFigure(text: string): boolean {
  return [NUMBER, FRACTION, DASH, CURRENCY, NO_NUMBER, AFTER].some((part) => part.test(text));
}

/** A number in a sentence follows its words; one of a table has a sign of currency or a gap before it. */
function standsApart(words: readonly Word[], start: number, page: { width: number; height: number }): boolean {
  const [before, figure] = [words[start - 1], words[start]];
  if (before === undefined || figure === undefined) return true;
  const gap = (figure.box[0] - before.box[0] - before.box[2]) * page.width;
  return gap > GAP * Math.max(figure.box[3], before.box[3]) * page.height;
}

function figuresOf(words: readonly Word[], place: { pageNumber: number; offset: number }): Figure[] {
  const figures: Figure[] = [];
  let currency: WordRange | null = null;
  for (const [index, word] of words.entries()) {
    const at = { pageNumber: place.pageNumber, first: place.offset + index, last: place.offset + index };
    const previous = figures.at(-1);
    if (CURRENCY.test(word.text)) currency = at;
    else if (AFTER.test(word.text)) {
      if (previous !== undefined) follow(previous, word, at);
    } else {
      figures.push(figureOf(word, at, currency));
      currency = null;
    }
  }
  return figures;
}

function figureOf({ text, box }: Word, at: WordRange, before: WordRange | null): Figure {
  const raw = text.replace(/^[$€£¥]+/u, '').replace(/%$/u, '');
  const unit = /[$€£¥%]/u.test(text) ? at : before;
  return { at, raw: raw === '' ? text : raw, left: box[0], right: box[0] + box[2], unit };
}

/** A sign after a number is its unit; a bracket closes it. */
function follow(figure: Figure, { text, box }: Word, at: WordRange): void {
  if (text.startsWith(')') && !figure.raw.endsWith(')')) {
    figure.raw = `${figure.raw} )`;
    figure.at = { ...figure.at, last: at.last };
    figure.right = box[0] + box[2];
  }
  if (text !== ')') figure.unit = at;
}
