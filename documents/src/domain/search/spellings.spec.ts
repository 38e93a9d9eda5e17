import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/random/any-character.js';
import { vectorOf } from './chunk-vector.js';
import { readFigures } from './date-spellings.js';
import { readNumber } from './number-spellings.js';
import { readQuery } from './query-terms.js';
import { repairWord, slipsBetween } from './repair-word.js';
import { readText } from './tokens.js';

const lexemesOf = (text: string): string[] => {
  const { tokens, meanings } = readText(text);
  return [...tokens, ...meanings].flatMap(({ lexemes }) => lexemes);
};

describe('numbers', () => {
  it.each([
    ['1,234.50', ['1234.5']],
    ['1.234,50', ['1234.5']],
    ["1'234.50", ['1234.5']],
    ['1234.5', ['1234.5']],
    ['1,234', ['1234', '1.234']],
    ['1,00,000', ['100000']],
    ['007', ['7']],
    ['1.2.3', []],
    ['12a', []],
  ])('DI-019 %s has the readings %j', (written, readings) => {
    expect(readNumber(written)).toEqual(readings);
  });

  it('DI-019 every spelling of an amount has a reading in common', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 999_999_999 }), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const fraction = String(cents).padStart(2, '0');
        const grouped = (mark: string): string => String(whole).replace(/\B(?=(?:\d{3})+$)/gu, mark);
        const spellings = [`${whole}.${fraction}`, `${whole},${fraction}`, `${grouped(',')}.${fraction}`];
        spellings.push(`${grouped('.')},${fraction}`, `${grouped("'")}.${fraction}`, `EUR${whole}.${fraction}`);
        const expected = `#${Number(`${whole}.${fraction}`)}`;
        for (const spelling of spellings) expect(lexemesOf(spelling)).toContain(expected);
      }),
    );
  });

  it('DI-019 a number may have blanks between its groups or a word for its size', () => {
    expect(lexemesOf('1 234 567,89')).toContain('#1234567.89');
    expect(lexemesOf('about 2.5 million in cash')).toContain('#2500000');
  });
});

describe('dates', () => {
  it.each([
    '2021-03-04',
    '4 March 2021',
    '4th of March 2021',
    'March 4, 2021',
    '4. März 2021',
    '4-Mar-2021',
    '20210304',
    '4 mars 2021',
  ])('DI-019 %s is the fourth of March 2021', (written) => {
    expect(lexemesOf(written)).toContain('@20210304');
  });

  it('DI-019 figures in either order are read as both days, where the calendar has them', () => {
    expect(readFigures('03/04/2021')).toHaveLength(2);
    expect(readFigures('31/12/2021')).toEqual([{ year: 2021, month: 12, day: 31 }]);
    expect(readFigures('31/02/2021')).toEqual([]);
  });
});

describe('text of any kind', () => {
  it('DI-019 a letter that is written for a phrase has a place for each of its words', () => {
    const { tokens } = readText('x \ufdfa y');
    expect(tokens.map(({ word }) => word)).toEqual(['x', ...'\ufdfa'.normalize('NFKC').split(' '), 'y']);
    expect(vectorOf('\ufdfa y').lexemes).toMatch(/'y':5$/u);
  });

  it.each(['\u037a', 'a.\u0301'])('DI-019 a word of accents alone has no empty lexeme: %j', (text) => {
    expect(lexemesOf(text)).not.toContain('');
  });

  it('DI-019 has a vector in the notation of the database, with a place for every lexeme', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const { words, lexemes } = vectorOf(text);
        expect(words.split(' ').filter((word) => word !== '')).toHaveLength(readText(text).tokens.length);
        expect(lexemes === '' || /^(?:'(?:[^'\\]|''|\\\\)+':\d+(?:,\d+)*(?: |$))+$/u.test(lexemes)).toBe(true);
      }),
    );
  });

  it('DI-019 a query of any kind has a bounded number of terms', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2000 }), (query) => {
        expect(readQuery(query).terms.length).toBeLessThanOrEqual(24);
      }),
    );
  });

  it('DI-019 a word that is cut at the end of a line is one word', () => {
    expect(lexemesOf('the agree-\nment of back-propagation')).toEqual(
      expect.arrayContaining(['agreement', 'back', 'propagation', 'backpropagation']),
    );
  });
});

describe('a word that nobody knows', () => {
  it('DI-019 is taken for the nearest one by trigrams or by slips of the finger', () => {
    const known = (lexeme: string, similarity: number): { lexeme: string; similarity: number; chunks: number } => ({
      ...{ lexeme, similarity, chunks: 3 },
    });
    expect(slipsBetween('agreemnet', 'agreement')).toBe(1);
    expect(repairWord('agreemnet', [known('agreement', 0.43), known('agreeable', 0.5)]).lexemes).toEqual(['agreement']);
    expect(repairWord('zebra', [known('cobra', 0.3), known('algebra', 0.35)]).lexemes).toEqual([]);
  });
});
