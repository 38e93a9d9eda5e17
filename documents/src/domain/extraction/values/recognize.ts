import type { ValueKind } from '../../schemas/words/concepts.js';
import { decimalMarkOf, findNumbers, type DecimalMark, type NumberSpan } from './amounts.js';
import { findEmails, findPhones, findUris, type TextSpan } from './contacts.js';
import { currencyOf } from './currencies.js';
import { findDateParts, findDays, isOpenOrder, type DateOrder, type DateSpan } from './dates.js';
import { findBics, findIbans, findIdentifiers, findVatNumbers } from './identifiers.js';
import { timeIn, type NormalizerName } from './normalizers.js';

/** How a document writes what can be written in several ways. */
export interface Locale {
  order: DateOrder;
  mark: DecimalMark;
}

/** What is recognized in texts: kinds of values, and some whose form says more than the kind does. */
export type RecognizedKind = ValueKind | 'iban' | 'bic' | 'vat' | 'currency' | 'date-part';

/** A value that a text holds by its look alone. */
export interface FoundValue extends TextSpan {
  normalizedBy: NormalizerName;
  /** How much it looks like its kind, 0…1: 1 for what is hardly anything else. */
  look: number;
  /** Of numbers and dates, for comparing. */
  amount: number | null;
}

type Recognizer = (text: string, locale: Locale) => FoundValue[];

const RECOGNIZERS: Readonly<Record<Exclude<RecognizedKind, 'text' | 'boolean'>, Recognizer>> = {
  identifier: (text) =>
    findIdentifiers(text).map((span) => plain(span, 'verbatim', lookOfIdentifier(text.slice(span.from, span.to)))),
  money: (text, { mark }) => numbers(text, mark, (one) => !one.isPercent && isAmount(one), lookOfMoney),
  number: (text, { mark }) =>
    numbers(
      text,
      mark,
      () => true,
      () => 0.5,
    ),
  integer: (text, { mark }) =>
    numbers(
      text,
      mark,
      ({ value, isPercent }) => Number.isInteger(value) && !isPercent,
      () => 0.5,
    ),
  percent: (text, { mark }) =>
    numbers(
      text,
      mark,
      () => true,
      ({ isPercent }) => (isPercent ? 1 : 0.2),
    ),
  date: (text, locale) => findDays(text, locale.order).map((span) => dated(span, text, locale)),
  'date-part': (text, locale) => findDateParts(text, locale.order).map((span) => dated(span, text, locale)),
  'date-time': moments,
  time: (text) => {
    const read = timeIn(text);
    return read === null ? [] : [plain({ from: read.from, to: read.from + read.said.length }, 'time', 0.9)];
  },
  email: (text) => findEmails(text).map((span) => plain(span, 'verbatim', 1)),
  phone: (text) => findPhones(text).map((span) => plain(span, 'verbatim', lookOfPhone(text.slice(span.from, span.to)))),
  uri: (text) => findUris(text).map((span) => plain(span, 'verbatim', 0.9)),
  iban: (text) => findIbans(text).map((span) => plain(span, 'compact', 1)),
  bic: (text) => findBics(text).map((span) => plain(span, 'verbatim', 0.6)),
  vat: (text) => findVatNumbers(text).map((span) => plain(span, 'verbatim', 0.9)),
  currency: (text) => currencies(text),
};

/** All values of a kind in a text, from left to right. */
export function recognize(
  kind: Exclude<RecognizedKind, 'text' | 'boolean'>,
  text: string,
  locale: Locale,
): FoundValue[] {
  return RECOGNIZERS[kind](text, locale);
}

const AMERICAN =
  /\b(?:AK|AL|AR|AZ|CA|CO|CT|DE|FL|GA|HI|IA|ID|IL|IN|KS|KY|LA|MA|MD|ME|MI|MN|MO|MS|MT|NC|ND|NE|NH|NJ|NM|NV|NY|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VA|VT|WA|WI|WV|WY),? \d{5}\b|\bUnited States\b|\bU\.S\./u;

/** What the dates and numbers of a document say together; a document that says nothing has days first, but for one from the United States. */
export function localeOf(texts: readonly string[]): Locale {
  const mark = decimalMarkOf(texts);
  let [day, month, american] = [0, 0, false];
  for (const text of texts) {
    american ||= AMERICAN.test(text);
    for (const [, one, other] of text.matchAll(/(?<!\d)(\d{1,2})[-/.](\d{1,2})[-/.](?:\d{4}|\d{2})(?!\d)/gu)) {
      if (Number(one) > 12 && Number(other) <= 12) day += 1;
      if (Number(other) > 12 && Number(other) <= 31 && Number(one) <= 12) month += 1;
    }
  }
  const order: DateOrder = day === month ? (american && mark === '.' ? 'month' : 'day') : month > day ? 'month' : 'day';
  return { order, mark };
}

function plain({ from, to }: TextSpan, normalizedBy: NormalizerName, look: number): FoundValue {
  return { from, to, normalizedBy, look, amount: null };
}

function numbers(
  text: string,
  mark: DecimalMark,
  isWanted: (one: NumberSpan) => boolean,
  lookOf: (one: NumberSpan) => number,
): FoundValue[] {
  const normalizedBy = mark === ',' ? 'number_comma' : 'number';
  return findNumbers(text, mark)
    .filter(isWanted)
    .map((one) => ({ from: one.from, to: one.to, normalizedBy, look: lookOf(one), amount: one.value }));
}

/** A long row of digits without marks is a number of something else. */
function isAmount({ value, decimals, currency }: NumberSpan): boolean {
  return currency !== null || decimals > 0 || Math.abs(value) < 1e7;
}

function lookOfMoney({ decimals, currency, value, isBare }: NumberSpan): number {
  // Where a sign stands before `.50`, it mostly is the digit before it, misread.
  if (currency !== null && isBare) return 0.3;
  if (currency !== null) return decimals === 2 || value >= 1000 ? 1 : 0.8;
  return decimals === 2 ? 0.8 : Math.abs(value) < 1000 ? 0.05 : 0.2;
}

function lookOfIdentifier(text: string): number {
  if (/^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$/u.test(text)) return 0;
  if (text.length < 3 || /^\d{1,3}%?$/u.test(text)) return 0.2;
  return /\p{L}/u.test(text) ? 0.8 : 0.6;
}

function lookOfPhone(text: string): number {
  if (/^\+/u.test(text)) return 1;
  return /[\s\-()/.]/u.test(text) ? 0.8 : 0.4;
}

function dated({ from, to, date }: DateSpan, text: string, { order }: Locale): FoundValue {
  const said = text.slice(from, to);
  const amount = date.year * 10_000 + (date.month ?? 0) * 100 + (date.day ?? 0);
  const normalizedBy = order === 'month' ? 'date_month_first' : 'date_day_first';
  const isPlausible = date.year >= 1900 && date.year <= 2100;
  const look = !isPlausible
    ? 0.1
    : /\p{L}/u.test(said)
      ? 1
      : /^\d{8}$/u.test(said)
        ? 0.3
        : isOpenOrder(said)
          ? 0.8
          : 0.9;
  return { from, to, normalizedBy, look: date.day === null ? look * 0.4 : look, amount };
}

/** A day with the time that stands beside it. */
function moments(text: string, locale: Locale): FoundValue[] {
  const normalizedBy = locale.order === 'month' ? 'moment_month_first' : 'moment_day_first';
  return findDays(text, locale.order).map((span) => {
    const rest = text.slice(span.to, span.to + 20);
    const time = timeIn(rest);
    const isBeside = time !== null && /^[\sT,]*(?:at\s)?$/u.test(rest.slice(0, time.from));
    return {
      ...dated(span, text, locale),
      normalizedBy,
      to: isBeside ? span.to + time.from + time.said.length : span.to,
    };
  });
}

function currencies(text: string): FoundValue[] {
  return [...text.matchAll(/[\p{L}.]{0,4}[$€£¥₹₩₺₽₪₫฿]|\p{L}{2,8}\.?/gu)].flatMap((match) => {
    const [said] = match;
    if (/[\p{L}\p{N}]$/u.test(text.slice(0, match.index))) return [];
    const sign = /[$€£¥₹₩₺₽₪₫฿]/u.test(said);
    const word = sign && currencyOf(said) === null ? said.slice(-1) : said;
    const isShort = word.length <= 3 && !sign;
    if (currencyOf(word) === null || (isShort && !/\p{Lu}/u.test(word))) return [];
    const from = match.index + said.length - word.length;
    return [plain({ from, to: from + word.length }, 'currency', sign ? 0.6 : isShort ? 0.9 : 0.5)];
  });
}
