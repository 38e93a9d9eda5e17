import { describe, expect, it } from '@jest/globals';
import { findDays, isoOf, readDate } from './dates.js';

const days = (text: string, order: 'day' | 'month' = 'day'): string[] =>
  findDays(text, order).map(({ date }) => isoOf(date));

describe('dates', () => {
  it.each([
    ['2024-03-07', '2024-03-07'],
    ['2024/3/7', '2024-03-07'],
    ['7.3.2024', '2024-03-07'],
    ['07/03/24', '2024-03-07'],
    ['07-03-2024', '2024-03-07'],
    ['7 March 2024', '2024-03-07'],
    ['7th day of March, 2024', '2024-03-07'],
    ['March 7, 2024', '2024-03-07'],
    ['Mar-07-2024', '2024-03-07'],
    ['07-Mar-24', '2024-03-07'],
    ['7. März 2024', '2024-03-07'],
    ['7 mars 2024', '2024-03-07'],
    ['7 de marzo de 2024', '2024-03-07'],
    ['2024年3月7日', '2024-03-07'],
    ['07032024', '2024-03-07'],
  ])('are read as %s', (text, iso) => {
    expect(days(`on ${text}.`)).toEqual([iso]);
  });

  it('have the month first where the document has, and the day where the month would be no month', () => {
    expect(days('03/07/2024', 'month')).toEqual(['2024-03-07']);
    expect(days('25/07/2024', 'month')).toEqual(['2024-07-25']);
  });

  it('are no part of longer numbers, and none of what is no day', () => {
    expect(days('03-91424340, 1.2.3.4, 31/02/2024, 30.11.2024.5')).toEqual([]);
    expect(days('01.05.14-31.05.14')).toEqual(['2014-05-01', '2014-05-31']);
  });

  it('may be a month or a year alone, and nothing else beside', () => {
    expect(readDate('March 2024', 'day')).toEqual({ year: 2024, month: 3, day: null });
    expect(readDate('2024', 'day')).toEqual({ year: 2024, month: null, day: null });
    expect(readDate('7 March 2024 to 8 March 2024', 'day')).toBeNull();
  });
});
