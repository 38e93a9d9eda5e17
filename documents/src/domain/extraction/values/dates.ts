import { monthNamed } from './month-names.js';

/** Which of two numbers of a date comes first where both may be the month. */
export type DateOrder = 'day' | 'month';

/** A day, or a month or a year where that is all that is printed. */
export interface CalendarDate {
  year: number;
  month: number | null;
  day: number | null;
}

interface Spelling {
  pattern: RegExp;
  /** What the groups of a match say; null where they are no date. */
  read: (groups: readonly string[], order: DateOrder) => CalendarDate | null;
}

const WORD = String.raw`(\p{L}{3,12})\.?`;
const YEAR = String.raw`(\d{4}|['’]?\d{2})`;
const ORDINAL = String.raw`(?:st|nd|rd|th|er|º|ª|\.)?`;
const OF = String.raw`(?:\s+(?:of|de|del|di|da))?`;

/** Spellings of a day, the most certain first, each from a beginning of a word to the end of one. */
const SPELLINGS: readonly Spelling[] = [
  // 2024-03-07, 2024/3/7, 2024.03.07
  { pattern: /((?:19|20)\d{2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?(\d{1,2})/u, read: ([y, , m, d]) => dayOf(y, m, d) },
  // 2024年3月7日
  { pattern: /(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日/u, read: ([y, m, d]) => dayOf(y, m, d) },
  // 7 March 2024, 7. März 2024, 07-Mar-24, 7th of March, 2024, 7MAR2024
  {
    pattern: new RegExp(
      String.raw`(\d{1,2})${ORDINAL}(?:\s?[-/.,]\s?|\s*)(?:day\s+)?(?:of\s+|de\s+|di\s+)?${WORD}${OF}\s?[-/.,]?\s?${YEAR}`,
      'u',
    ),
    read: ([d, m, y]) => dayNamed(y, m, d),
  },
  // March 7, 2024, Mar-07-2024, Sept. 7th 2024
  {
    pattern: new RegExp(
      String.raw`${WORD}\s?[-/.]?\s?(\d{1,2})${ORDINAL}\s?[-/.,]?\s?,?\s?((?:19|20)\d{2}|['’]\d{2})`,
      'u',
    ),
    read: ([m, d, y]) => dayNamed(y, m, d),
  },
  // 2024 March 7, 2024-Mar-07
  {
    pattern: new RegExp(String.raw`((?:19|20)\d{2})\s?[-/., ]\s?${WORD}\s?[-/., ]\s?(\d{1,2})`, 'u'),
    read: ([y, m, d]) => dayNamed(y, m, d),
  },
  // 07/03/2024, 7.3.24, 07-03-24
  {
    pattern: /(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?((?:19|20)\d{2}|\d{2})/u,
    read: ([one, , other, y], order) => dayOfTwo(y, one, other, order),
  },
  // 07032024, 20240307
  {
    pattern: /(\d{2})(\d{2})(\d{2})(\d{2})/u,
    read: ([a = '', b = '', c = '', d = ''], order) =>
      dayOf(`${a}${b}`, c, d, true) ?? dayOfTwo(`${c}${d}`, a, b, order, true),
  },
];

/** Spellings of a month or a year alone. */
const PARTS: readonly Spelling[] = [
  // March 2024, Mar. '24
  {
    pattern: new RegExp(String.raw`${WORD}${OF}\s?[-/.,]?\s?((?:19|20)\d{2}|['’]\d{2})`, 'u'),
    read: ([m, y]) => partOf(y, monthNamed(m ?? '')),
  },
  // 2024-03, 03/2024
  { pattern: /((?:19|20)\d{2})\s?[-/]\s?(\d{1,2})/u, read: ([y, m]) => partOf(y, Number(m)) },
  { pattern: /(\d{1,2})\s?[-/.]\s?((?:19|20)\d{2})/u, read: ([m, y]) => partOf(y, Number(m)) },
  { pattern: /((?:1[89]|20)\d{2})/u, read: ([y]) => partOf(y, 0) },
];

export interface DateSpan {
  from: number;
  to: number;
  date: CalendarDate;
}

/** Days that stand in a text, from left to right, none inside another. */
export function findDays(text: string, order: DateOrder): DateSpan[] {
  return findSpelled(SPELLINGS, text, order);
}

/** Days, months and years. */
export function findDateParts(text: string, order: DateOrder): DateSpan[] {
  return findSpelled([...SPELLINGS, ...PARTS], text, order);
}

/** The one date that a text says; null for a text without one, or with words besides it other than a weekday or a time. */
export function readDate(raw: string, order: DateOrder): CalendarDate | null {
  const [first, ...more] = findDateParts(raw, order);
  return first === undefined || more.length > 0 ? null : first.date;
}

/** As ISO 8601 has it, as exactly as it is known. */
export function isoOf({ year, month, day }: CalendarDate): string {
  const parts = [String(year).padStart(4, '0'), month, day].filter((part) => part !== null);
  return parts.map((part) => String(part).padStart(2, '0')).join('-');
}

/** Whether a date leaves open which number is its month. */
export function isOpenOrder(text: string): boolean {
  const match = /^\D*(\d{1,2})\s?[-/.]\s?(\d{1,2})\s?[-/.]\s?\d{2,4}/u.exec(text);
  return match !== null && Number(match[1]) <= 12 && Number(match[2]) <= 12 && match[1] !== match[2];
}

function findSpelled(spellings: readonly Spelling[], text: string, order: DateOrder): DateSpan[] {
  const found: DateSpan[] = [];
  for (const { pattern, read } of spellings) {
    const each = new RegExp(pattern.source, 'giu');
    for (let match = each.exec(text); match !== null; match = each.exec(text)) {
      const span = { from: match.index, to: match.index + match[0].length };
      each.lastIndex = span.from + 1;
      if (!isWhole(text, span) || found.some((other) => span.from < other.to && other.from < span.to)) continue;
      const date = read(match.slice(1), order);
      if (date === null) continue;
      found.push({ ...span, date });
      each.lastIndex = span.to;
    }
  }
  return found.sort((one, other) => one.from - other.from);
}

/** A date is no part of a longer number or word. */
function isWhole(text: string, { from, to }: { from: number; to: number }): boolean {
  const [before, last, after] = [text.slice(Math.max(0, from - 2), from), text.charAt(to - 1), text.slice(to, to + 2)];
  if (
    /[\p{L}\p{N}]$|\d[/.,]$/u.test(before) ||
    (/^[-/]\d/u.test(after) && after.charAt(0) === separatorOf(text.slice(from, to)))
  )
    return false;
  return !/^[\p{N}]/u.test(after) && !(/\p{L}/u.test(last) && /^\p{L}/u.test(after)) && !/^[.,]\d/u.test(after);
}

/** What stands between the numbers of a date: the same mark behind it makes it a part of something longer. */
function separatorOf(said: string): string {
  return /\d\s?([-/.])/u.exec(said)?.[1] ?? '-';
}

function dayNamed(y: string | undefined, m: string | undefined, d: string | undefined): CalendarDate | null {
  const month = monthNamed(m ?? '');
  return month === null ? null : dayOf(y, String(month), d);
}

function dayOfTwo(
  y: string | undefined,
  one: string | undefined,
  other: string | undefined,
  order: DateOrder,
  isStrict = false,
): CalendarDate | null {
  const [first, second] = order === 'day' ? [one, other] : [other, one];
  return dayOf(y, second, first, isStrict) ?? dayOf(y, first, second, isStrict);
}

function dayOf(y = '', m = '', d = '', isStrict = false): CalendarDate | null {
  const [year, month, day] = [yearOf(y), Number(m), Number(d)];
  if (year === null || !(month >= 1 && month <= 12) || !(day >= 1 && day <= daysOf(year, month))) return null;
  // Eight digits in a row are a date by chance more often than by intention.
  if (isStrict && (year < 1950 || year > 2060)) return null;
  return { year, month, day };
}

function partOf(y: string | undefined, month: number | null): CalendarDate | null {
  const year = yearOf(y ?? '');
  if (year === null || month === null || month > 12) return null;
  return { year, month: month === 0 ? null : month, day: null };
}

function yearOf(text: string): number | null {
  const digits = text.replaceAll(/\D/gu, '');
  if (digits.length === 4) return Number(digits);
  if (digits.length !== 2) return null;
  const short = Number(digits);
  return short >= 70 ? 1900 + short : 2000 + short;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
