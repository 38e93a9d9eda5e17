import { describe, expect, it } from '@jest/globals';
import type { Box, Line, Word } from '../page-model.js';
import { cutExcerpt, soughtTerms } from './excerpt.js';
import { boxesOf } from './highlight.js';

const line = (first: number, last: number): Line => ({ first, last, box: [0, 0, 1, 1] });

function wordsOf(text: string, boxOf: (index: number) => Box): Word[] {
  return [...text.matchAll(/\S+/gu)].map(({ 0: word, index: from }, index) => ({
    ...{ text: word, box: boxOf(index), from, to: from + word.length, source: 'ocr', confidence: 1 },
  }));
}

describe('boxes of what was found', () => {
  it('DI-020 are one for each line, around words near each other', () => {
    const words = wordsOf('one two three four', (index) => [(index % 2) / 4, Math.floor(index / 2) / 4, 0.25, 0.125]);
    const boxes = boxesOf([{ from: 0, to: 18 }], words, [line(0, 1), line(2, 3)]);
    expect(boxes).toEqual([
      [0, 0, 0.5, 0.125],
      [0, 0.25, 0.5, 0.125],
    ]);
  });

  it('DI-020 never cover more than a quarter of the page', () => {
    const words = wordsOf('huge small', (index) => (index === 0 ? [0, 0, 0.9, 0.9] : [0.9, 0.9, 0.1, 0.1]));
    expect(boxesOf([{ from: 0, to: 10 }], words, [line(0, 1)])).toEqual([[0.9, 0.9, 0.1, 0.1]]);
  });
});

describe('an excerpt', () => {
  it('DI-020 is verbatim, at most 300 characters, and has what was found', () => {
    const text = `${'Nothing of interest here. '.repeat(40)}The heron stands at the pond.${' More of nothing.'.repeat(40)}`;
    const term = { word: 'heron', lexemes: ['heron'], parts: [], isSoft: false, place: 0 };
    const excerpt = cutExcerpt(text, soughtTerms([{ term, lexemes: ['heron'], chunks: 1, likeness: 1, parts: [] }]));
    expect(text).toContain(excerpt.text);
    expect(excerpt.text.length).toBeLessThanOrEqual(300);
    expect(excerpt.text).toContain('The heron stands at the pond.');
    expect(excerpt.hits.map(({ from, to }) => text.slice(from, to))).toEqual(['heron']);
  });
});
