import { CURRENCY_PATTERN } from './currencies.js';

/** The mark before decimals. */
export type DecimalMark = '.' | ',';

export interface NumberSpan {
  from: number;
  to: number;
  value: number;
  /** Digits after the mark. */
  decimals: number;
  /** The sign or code of the currency beside it. */
  currency: string | null;
  isPercent: boolean;
  /** Whether no digit stands before its mark. */
  isBare: boolean;
}

/** The last alternatives are amounts without a whole part, and those whose decimals stand apart in a picture. */
const DIGITS = String.raw`\d+(?:[.,] | [.,])\d{2}(?=\s*$)|\d{1,3}(?: \d{3})+,\d{2}|\d{1,3}(?:[.,'’\u00a0]\d{3})+(?:[.,]\d{1,6})?|\d+(?:[.,]\d{1,6})?|[.,]\d{2}`;
const NUMBER = new RegExp(
  String.raw`(${CURRENCY_PATTERN})?\s?([-−–(]\s?)?(${CURRENCY_PATTERN})?\s?(${DIGITS})(?:,--?|\.-)?(\s?\))?(\s?-(?![\p{N}\p{L}]))?(?:\s?(%|‰)|\s?(${CURRENCY_PATTERN})(?!\p{L}))?(\s(?:[Hh]undred|[Tt]housand|[Mm]illion|[Bb]illion|[Tt]rillion|Mio\.?|Mrd\.?)\b)?`,
  'gu',
);
const SCALES: Readonly<Record<string, number>> = {
  ...{ hundred: 1e2, thousand: 1e3, million: 1e6, mio: 1e6, billion: 1e9, mrd: 1e9, trillion: 1e12 },
};

/** Numbers of a text, from left to right, with their signs, currencies and words such as `million`. */
export function findNumbers(text: string, mark: DecimalMark): NumberSpan[] {
  const found: NumberSpan[] = [];
  for (const match of text.matchAll(NUMBER)) {
    const [whole, before, minus, inner, digits = '', closing, trailing, percent, after, scale] = match;
    const start = match.index + whole.length - whole.trimStart().length;
    const end = match.index + whole.trimEnd().length;
    // The end of a word may look like a currency.
    const isGlued = /[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, start - 2), start));
    const span = { from: isGlued && before !== undefined ? match.index + whole.indexOf(digits) : start, to: end };
    const read = readDigits(digits, mark);
    // `21 .05` is a date that came apart.
    const isBroken =
      (/^[.,]/u.test(digits) && /\d\s*$/u.test(text.slice(0, span.from))) ||
      (digits.includes(' ') && /[.,]\s*$/u.test(text.slice(0, span.from)));
    // `BHD (126926-H)` is a company with the number under which it is registered.
    const isRegistration = before !== undefined && minus?.startsWith('(') === true && closing === undefined;
    if (read === null || isBroken || isRegistration || !isApart(text, span)) continue;
    const isInBrackets = minus?.startsWith('(') === true && closing !== undefined;
    const isNegative =
      (isInBrackets && isAmount(digits, whole, text)) || /[-−–]/u.test(minus ?? '') || trailing !== undefined;
    const factor = SCALES[(scale ?? '').trim().toLowerCase().replaceAll('.', '')] ?? 1;
    const value = rounded(read.value * factor * (isNegative ? -1 : 1));
    const currency = (isGlued ? null : before) ?? inner ?? after ?? null;
    found.push({
      ...trimmed(text, span),
      value,
      decimals: read.decimals,
      currency,
      isPercent: percent === '%',
      isBare: /^[.,]/u.test(digits),
    });
  }
  return found;
}

/** `(3)` in a sentence repeats the number, `(1,250)` and one that stands alone are negative. */
function isAmount(digits: string, whole: string, text: string): boolean {
  return /[.,]|\d{4}/u.test(digits) || whole.trim() === text.trim();
}

/** The one number that a text says; null where there is none or there are several. */
export function readNumber(raw: string, mark: DecimalMark): NumberSpan | null {
  const [first, ...more] = findNumbers(raw, mark);
  return first === undefined || more.length > 0 ? null : first;
}

/** An amount as a text: its parts put together again, and before its decimals the mark that the document mostly uses. */
export function amountText(raw: string, mark: DecimalMark): string {
  return raw.replace(/(\d) ?([.,]) ?(\d{2})(?=\D*$)/u, (_said, whole: string, one: string, decimals: string) => {
    const isOnly = raw.match(/[.,]/gu)?.length === 1;
    return `${whole}${isOnly ? mark : one}${decimals}`;
  });
}

/** The mark that the numbers of a text use: what two decimals at the end of amounts follow, counted. */
export function decimalMarkOf(texts: Iterable<string>): DecimalMark {
  let [points, commas] = [0, 0];
  for (const text of texts) {
    points += count(text, /\d\.\d{2}(?![\d.,])|\d,\d{3}(?![\d,])/gu);
    commas += count(text, /\d,\d{2}(?![\d.,])|\d\.\d{3}(?![\d.])/gu);
  }
  return commas > points ? ',' : '.';
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** A single mark before exactly three digits is what the document mostly means by it; otherwise the last mark is before decimals. */
function readDigits(digits: string, mark: DecimalMark): { value: number; decimals: number } | null {
  const joined = digits.replace(/ ?([.,]) ?/u, '$1');
  if (joined !== digits) return readDigits(joined, mark);
  const marks = [...digits.matchAll(/[.,]/gu)].map(({ 0: one, index }) => ({ one, index }));
  const last = marks.at(-1);
  if (last === undefined) return { value: Number(digits.replaceAll(/\D/gu, '')), decimals: 0 };
  const decimals = digits.length - last.index - 1;
  const isOnly = marks.filter(({ one }) => one === last.one).length === 1;
  const isDecimal = isOnly && (decimals !== 3 || last.one === mark || (marks.length > 1 && marks[0]?.one !== last.one));
  if (!isDecimal && decimals !== 3) return null;
  if (!isDecimal) return { value: Number(digits.replaceAll(/\D/gu, '')), decimals: 0 };
  const before = digits.slice(0, last.index).replaceAll(/\D/gu, '');
  return { value: Number(`${before === '' ? '0' : before}.${digits.slice(last.index + 1)}`), decimals };
}

/** No part of a word, of a date or of a longer row of digits. */
function isApart(text: string, { from, to }: { from: number; to: number }): boolean {
  const [before, after] = [text.slice(Math.max(0, from - 2), from), text.slice(to, to + 2)];
  return !/[\p{L}\p{N}_]$|\d[-/.,:]$/u.test(before) && !/^[\p{N}_\p{L}]|^[-/:.,]\d/u.test(after);
}

/** Brackets that hold more than the number are not its own. */
function trimmed(text: string, { from, to }: { from: number; to: number }): { from: number; to: number } {
  const opens = text.slice(from, to).includes('(');
  const closes = text.charAt(to - 1) === ')';
  if (closes && !opens) return { from, to: to - 1 };
  if (opens && !closes && text.charAt(from) === '(') return { from: from + 1, to };
  return { from, to };
}

/** Products such as 1.1 × 1,000 without the noise of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(15));
}
