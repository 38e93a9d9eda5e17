import type { Reading, WordRange } from '../../model/reading.js';
import type { FlowLine } from './flow.js';

/** A text of several lines that knows the words that each part of it comes from. */
export class SpanText {
  readonly text: string;
  private readonly words: { page: number; index: number; from: number; to: number }[] = [];

  constructor(lines: readonly Pick<FlowLine, 'at'>[], reading: Reading) {
    let text = '';
    for (const { at } of lines) {
      for (const [offset, word] of reading.wordsOf(at).entries()) {
        if (text !== '') text += ' ';
        const from = text.length;
        text += word.text;
        this.words.push({ page: at.pageNumber, index: at.first + offset, from, to: text.length });
      }
    }
    this.text = text;
  }

  /** The words that a part of the text touches, a range for each run of them. */
  rangesOf(from: number, to: number): WordRange[] {
    const ranges: WordRange[] = [];
    for (const word of this.words) {
      if (word.to <= from || word.from >= to) continue;
      const last = ranges.at(-1);
      if (last?.pageNumber === word.page && last.last === word.index - 1) last.last = word.index;
      else ranges.push({ pageNumber: word.page, first: word.index, last: word.index });
    }
    return ranges;
  }
}

/** A part of a text. */
export interface Part {
  from: number;
  to: number;
  text: string;
}

const MARK = /[\s,;:|·•*–—-]/u;

/** Counted back from the end: an expression that is anchored there alone begins anew at each blank. */
function lengthWithoutMarks(text: string): number {
  let length = text.length;
  for (;;) {
    if (MARK.test(text.charAt(length - 1))) length -= 1;
    else if (/^\s\.$/u.test(text.slice(Math.max(0, length - 2), length))) length -= 2;
    else return length;
  }
}

/** A part without white space and marks around it. */
export function trimmed(text: string, from: number, to: number): Part {
  const said = text.slice(from, to);
  const start = /^[\s,;:|.·•*–—-]*/u.exec(said)?.[0].length ?? 0;
  const rest = said.slice(start);
  const inner = rest.slice(0, lengthWithoutMarks(rest));
  return { from: from + start, to: from + start + inner.length, text: inner };
}
