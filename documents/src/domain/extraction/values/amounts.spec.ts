import { expect, it } from '@jest/globals';
import { amountText, decimalMarkOf, findNumbers } from './amounts.js';

const values = (text: string, mark: '.' | ',' = '.'): number[] => findNumbers(text, mark).map(({ value }) => value);

it.each([
  ['1,250.50', 1250.5],
  ['1.250,50', 1250.5],
  ["1'250.50", 1250.5],
  ['(1,250)', -1250],
  ['12.50-', -12.5],
  ['$2.5 billion', 2_500_000_000],
  ['RM 29. 70', 29.7],
  ['28 .50', 28.5],
  ['.65', 0.65],
])('a number is read as %s', (text, value) => {
  expect(values(text)).toEqual([value]);
});

it('a single mark before three digits is what the document mostly means by it', () => {
  expect(values('1.250', ',')).toEqual([1250]);
  expect(values('1.250', '.')).toEqual([1.25]);
  expect(decimalMarkOf(['3,89', '5,39', '1.234,50'])).toBe(',');
});

it('dates, times and words hold no number, and columns are no thousands', () => {
  expect(values('21.05.14 12:30 A4')).toEqual([]);
  expect(values('three (3) days')).toEqual([3]);
  expect(values('1 278.61')).toEqual([1, 278.61]);
  expect(values('FARM 12')).toEqual([12]);
  expect(values('SDN BHD (1206674-T)')).toEqual([]);
  expect(values('01 .05 .14')).not.toContain(5.14);
});

it('an amount as a text is put together again, with the mark that the document mostly uses', () => {
  expect(amountText('RM 64. 15', '.')).toBe('RM 64.15');
  expect(amountText('27,30', '.')).toBe('27.30');
  expect(amountText('1,250.50', '.')).toBe('1,250.50');
  expect(amountText('12.50', ',')).toBe('12,50');
});
