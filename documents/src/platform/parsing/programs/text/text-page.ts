import type { Box, Line, Page, Word } from '../../../../domain/page-model.js';
import { COLUMNS } from './wrapped-lines.js';

/** Lines of a page of text. */
export const LINES_PER_PAGE = 60;

/** A page of a text: a grid of columns and lines, each word where it stands in it. */
export function textPage(pageNumber: number, rows: readonly string[]): Page {
  const words: Word[] = [];
  const lines: Line[] = [];
  const texts: string[] = [];
  let offset = 0;
  rows.forEach((row, index) => {
    const found = [...row.matchAll(/\S+/g)];
    const first = words.length;
    let from = offset;
    for (const { 0: raw, index: column } of found) {
      const text = raw.normalize('NFC');
      words.push({
        text,
        box: boxOf(column, raw.length, index),
        from,
        to: from + text.length,
        source: 'text_layer',
        confidence: 1,
      });
      from += text.length + 1;
    }
    const text = words
      .slice(first)
      .map((word) => word.text)
      .join(' ');
    texts.push(text);
    offset += text.length + 1;
    const [start, end] = [found[0]?.index ?? 0, (found.at(-1)?.index ?? 0) + (found.at(-1)?.[0].length ?? 0)];
    if (found.length > 0) lines.push({ first, last: words.length - 1, box: boxOf(start, end - start, index) });
  });
  return {
    ...{ pageNumber, width: COLUMNS, height: LINES_PER_PAGE, unit: 'cell', rotation: 0 },
    ...{ text: texts.join('\n'), source: 'text_layer', ocrConfidence: null, words, lines },
    ...{ rules: [], fields: [], images: [], tables: [], warnings: [] },
  };
}

function boxOf(column: number, width: number, row: number): Box {
  const x = Math.min(column, COLUMNS) / COLUMNS;
  return [x, row / LINES_PER_PAGE, Math.min(width / COLUMNS, 1 - x), 1 / LINES_PER_PAGE];
}
