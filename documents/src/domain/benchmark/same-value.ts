import { distance } from 'fastest-levenshtein';
import type { JsonValue } from '../../../../src/domain/json.js';
import type { Rule } from './rule.js';

/** From this share of equal letters on two texts say the same. */
const SIMILAR = 0.8;

export type Scalar = string | number | boolean;

/** A value that counts; null, empty text and whatever is no scalar do not. */
export function scalarOf(value: JsonValue | undefined): Scalar | null {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** Whether a value is the right one by any of the rules. */
export function isSame(got: Scalar, gold: Scalar, rules: readonly Rule[]): boolean {
  return rules.some((rule) => isSameBy(got, gold, rule));
}

function isSameBy(got: Scalar, gold: Scalar, rule: Rule): boolean {
  const [one, other] = [String(got), String(gold)];
  switch (rule.by) {
    case 'exact':
      return one === other;
    case 'caseless':
      return one.toLowerCase() === other.toLowerCase();
    case 'letters':
      return lettersOf(one) === lettersOf(other);
    case 'similar':
      return isSimilar(folded(one), folded(other));
    case 'date':
      return isSameDate(one, other, rule.dayFirst);
    case 'number':
      return areNumbers(got, gold, (a, b) => Math.abs(a - b) <= rule.within + 1e-9) || one === other;
    case 'integer':
      return areNumbers(got, gold, (a, b) => a === b);
    case 'boolean':
      return got === gold || one.toLowerCase() === other.toLowerCase();
  }
}

function areNumbers(got: Scalar, gold: Scalar, test: (a: number, b: number) => boolean): boolean {
  const [a, b] = [numberOf(got), numberOf(gold)];
  return a !== null && b !== null && test(a, b);
}

/** Texts may hold a number as documents print it; a currency sign is no part of it. */
function numberOf(value: Scalar): number | null {
  if (typeof value !== 'string') return Number(value);
  const plain = value.replaceAll(/[\s,]|^[^\d.+-]+/gu, '');
  const number = plain === '' ? Number.NaN : Number(plain);
  return Number.isFinite(number) ? number : null;
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
const folded = (text: string): string => text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();

function isSimilar(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length);
  const apart = (1 - SIMILAR) * longest + 1e-9;
  if (Math.abs(one.length - other.length) > apart) return false;
  return one === other || distance(one, other) <= apart;
}

function isSameDate(one: string, other: string, dayFirst: boolean): boolean {
  const [a, b] = [dateOf(one, dayFirst), dateOf(other, dayFirst)];
  return a === null || b === null ? lettersOf(one) === lettersOf(other) : a === b;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A date as `2022-09-08`; null for what is none. */
function dateOf(text: string, dayFirst: boolean): string | null {
  const parts =
    text
      .toLowerCase()
      .match(/\d+|[a-z]{3,}/gu)
      ?.slice(0, 3) ?? [];
  const month = parts.findIndex((part) => MONTHS.includes(part.slice(0, 3)));
  const [a = '', b = '', c = ''] = parts;
  if (parts.length < 3) return null;
  if (month >= 0) {
    const named = MONTHS.indexOf((parts[month] ?? '').slice(0, 3)) + 1;
    const [day = '', year = ''] = parts.filter((_, at) => at !== month);
    return written(day.length === 4 ? day : year, named, day.length === 4 ? year : day);
  }
  if (a.length === 4) return written(a, Number(b), c);
  return dayFirst ? written(c, Number(b), a) : written(c, Number(a), b);
}

function written(year: string, month: number, day: string): string | null {
  const full = year.length === 2 ? `20${year}` : year;
  if (full.length !== 4 || month < 1 || month > 12 || Number(day) < 1 || Number(day) > 31) return null;
  return `${full}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
}
