import type { Line, Page, Word } from '../../../src/domain/page-model.js';
import { Reading } from '../../../src/domain/extraction/model/reading.js';

const COLUMNS = 120;
const ROWS = 80;
const SIZE = 9;

/**
 * A document of pages that are drawn as text, each sign as wide as the other: what stands below each other in the text does on the page. Lines that begin
 * with `#` are bold, with `##` larger too; the signs are not part of them.
 */
export function drawnReading(...pages: string[]): Reading {
  const drawn = pages.map((text, index) => drawnPage(text, index + 1));
  return new Reading(drawn, [], drawn.length);
}

function drawnPage(text: string, pageNumber: number): Page {
  const words: Word[] = [];
  const lines: Line[] = [];
  let written = '';
  for (const [row, line] of text.split('\n').entries()) {
    const [, marks = '', plain = ''] = /^(#{0,2})(.*)$/u.exec(line) ?? [];
    const first = words.length;
    for (const match of plain.matchAll(/\S+/gu)) {
      const from = written.length + (words.length > first ? 1 : 0);
      written = `${written}${words.length > first ? ' ' : ''}${match[0]}`;
      words.push(wordOf(match, { row, from, marks }));
    }
    if (words.length === first) continue;
    written = `${written}\n`;
    lines.push({ first, last: words.length - 1, box: boxOf(words.slice(first)) });
  }
  return {
    ...{ pageNumber, width: 600, height: 800, unit: 'pt', rotation: 0, text: written, source: 'text_layer' },
    ...{ ocrConfidence: null, words, lines, rules: [], fields: [], images: [], tables: [], warnings: [] },
  };
}

function wordOf(match: RegExpExecArray, { row, from, marks }: { row: number; from: number; marks: string }): Word {
  const [text] = match;
  return {
    text,
    box: [match.index / COLUMNS, row / ROWS, text.length / COLUMNS, 0.8 / ROWS],
    ...{ from, to: from + text.length, source: 'text_layer', confidence: 0.99 },
    ...{ fontSize: marks === '##' ? SIZE * 1.5 : SIZE, bold: marks !== '' },
  };
}

function boxOf(words: readonly Word[]): Line['box'] {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) throw new TypeError('a line has words');
  return [first.box[0], first.box[1], last.box[0] + last.box[2] - first.box[0], first.box[3]];
}
