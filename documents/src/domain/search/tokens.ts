import { dateReadings, readDay, readFigures, readMonth, readYear, valid, type CalendarDate } from './date-spellings.js';
import { readNumber, scaleNumber } from './number-spellings.js';

/**
 * A word, number or code of a text. `lexemes` are what it is found by besides the stem of `word`: the word as it is written and without
 * accents; `#1234.5` for a number, `@20210304` and `@202103` for a date.
 */
export interface Token {
  /** In lower case; null where it is no word and has no stem. */
  word: string | null;
  lexemes: string[];
  /** Place in the text, `to` exclusive. */
  from: number;
  to: number;
}

/** Several tokens that mean one thing together, such as a date that is written out. */
export interface Meaning {
  first: number;
  last: number;
  lexemes: string[];
}

export interface ReadText {
  tokens: Token[];
  meanings: Meaning[];
}

/** Longer ones are no words, and would make entries that nobody asks for. */
const LONGEST_WORD = 60;

const COMPOUND = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:(?:-\n|['’.,\-_/:&@])[\p{L}\p{M}\p{N}]+)*/gu;
const CURRENCIES = new Set('rm rs usd eur gbp chf inr myr aud cad jpy us au hk sgd s'.split(' '));
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 3],
  ['tausend', 3],
  ['lakh', 5],
  ['million', 6],
  ['millions', 6],
  ['millionen', 6],
  ['mio', 6],
  ['crore', 7],
  ['billion', 9],
  ['milliarde', 9],
  ['milliarden', 9],
]);

/** Reads a text as an index and a query see it. Both use this one function, so what is spelled differently meets. */
export function readText(text: string): ReadText {
  const tokens: Token[] = [];
  const meanings: Meaning[] = [];
  for (const { 0: written, index } of text.matchAll(COMPOUND)) readCompound(written, index, tokens, meanings);
  for (let at = 0; at < tokens.length; at += 1) {
    for (const meaning of [readWrittenDate(tokens, at), readSpacedNumber(text, tokens, at), readScaled(tokens, at)]) {
      if (meaning !== undefined) meanings.push(meaning);
    }
  }
  return { tokens, meanings };
}

function readCompound(written: string, from: number, tokens: Token[], meanings: Meaning[]): void {
  const whole = { from, to: from + written.length };
  const number = readAmount(written);
  if (number.length > 0) {
    tokens.push({ word: null, lexemes: number, ...whole });
    return;
  }
  if (written.includes('-\n')) {
    tokens.push(...wordTokens(written.replaceAll('-\n', ''), whole.from, whole.to));
    return;
  }
  const first = tokens.length;
  for (const { 0: part, index } of written.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    const isPossessive = index > 0 && /^s$/iu.test(part) && /['’]/u.test(written[index - 1] ?? '');
    if (!isPossessive) tokens.push(...partTokens(part, from + index));
  }
  const last = tokens.length - 1;
  if (last <= first) return;
  const figures = readFigures(written);
  const joined = fold(written.replace(/[^\p{L}\p{M}\p{N}]+/gu, ''));
  if (figures.length > 0) meanings.push({ first, last, lexemes: dateLexemes(figures) });
  else if (joined.length <= LONGEST_WORD && !joined.includes(' ')) meanings.push({ first, last, lexemes: [joined] });
}

/** A number alone, or behind a currency as in `RM18.00`. */
function readAmount(written: string): string[] {
  const [, currency = '', amount = ''] = /^(\p{L}{0,3})(\d.*)$/u.exec(written) ?? [];
  if (currency !== '' && !CURRENCIES.has(currency.toLowerCase())) return [];
  const readings = readNumber(amount).map((reading) => `#${reading}`);
  return /^\d{8}$/u.test(amount) ? [...readings, ...compactDate(amount)] : readings;
}

/** `20210304` is a number that may be a date. */
function compactDate(figures: string): string[] {
  const date = { year: Number(figures.slice(0, 4)), month: Number(figures.slice(4, 6)), day: Number(figures.slice(6)) };
  return date.year < 1900 || date.year > 2100 ? [] : dateLexemes(valid([date]));
}

function partTokens(part: string, from: number): Token[] {
  const to = from + part.length;
  const number = readNumber(part).map((reading) => `#${reading}`);
  if (number.length > 0) return [{ word: null, lexemes: number, from, to }];
  const tokens = wordTokens(part, from, to);
  // `5kg`, `3rd`: the number is found as well.
  const measured = /^(\d+)\p{L}{1,3}$/u.exec(part)?.[1];
  if (measured !== undefined) tokens[0]?.lexemes.push(...readNumber(measured).map((reading) => `#${reading}`));
  return tokens;
}

/** One token, or several in one place: a single letter such as U+FDFA is written for a phrase. */
function wordTokens(written: string, from: number, to: number): Token[] {
  const words = written.normalize('NFKC').toLowerCase().split(' ');
  return words
    .filter((word) => word !== '')
    .map((word) =>
      word.length > LONGEST_WORD
        ? { word: null, lexemes: [], from, to }
        : // What is accents alone has nothing left without them.
          { word, lexemes: [...new Set([word, fold(word) || word])], from, to },
    );
}

/** Without accents, in lower case. */
export function fold(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss');
}

const dateLexemes = (dates: readonly CalendarDate[]): string[] => [
  ...new Set(dates.flatMap(dateReadings).map((reading) => `@${reading}`)),
];

/** `4 March 2021`, `4th of March 2021`, `March 4, 2021`, `4. März 21` after a day, `March 2021`. */
function readWrittenDate(tokens: readonly Token[], at: number): Meaning | undefined {
  const month = readMonth(tokens[at]?.word ?? '');
  if (month === undefined) return undefined;
  const before = isLink(tokens[at - 1]) ? at - 2 : at - 1;
  const after = isLink(tokens[at + 1]) ? at + 2 : at + 1;
  const dayBefore = dayOf(tokens[before]);
  if (dayBefore !== undefined) {
    const year = yearOf(tokens[after]);
    return year === undefined ? undefined : dated({ year, month, day: dayBefore }, before, after);
  }
  const dayAfter = dayOf(tokens[at + 1]);
  const year = yearOf(tokens[at + 2]);
  if (dayAfter !== undefined && year !== undefined) return dated({ year, month, day: dayAfter }, at, at + 2);
  const yearAfter = figuresOf(tokens[after]).length === 4 ? yearOf(tokens[after]) : undefined;
  return yearAfter === undefined ? undefined : dated({ year: yearAfter, month }, at, after);
}

function dated(date: CalendarDate, first: number, last: number): Meaning | undefined {
  const { year, month, day } = date;
  const dates = day === undefined ? [date] : valid([{ year, month, day }]);
  return dates.length === 0 ? undefined : { first, last, lexemes: dateLexemes(dates) };
}

const isLink = (token: Token | undefined): boolean => /^(?:of|de|di|del|do|da)$/u.test(token?.word ?? '');
const figuresOf = (token: Token | undefined): string =>
  token?.lexemes.find((lexeme) => /^#\d+$/u.test(lexeme))?.slice(1) ?? '';
const dayOf = (token: Token | undefined): number | undefined => readDay(token?.word ?? figuresOf(token));
const yearOf = (token: Token | undefined): number | undefined =>
  token?.word === null ? readYear(figuresOf(token).padStart(2, '0')) : undefined;

/** `1 234 567,89`, whose groups are tokens of their own. */
function readSpacedNumber(text: string, tokens: readonly Token[], at: number): Meaning | undefined {
  if (!/^\d{1,3}$/u.test(textOf(text, tokens[at])) || isJoined(text, tokens, at)) return undefined;
  let last = at;
  while (/^\d{3}(?:[.,]\d+)?$/u.test(textOf(text, tokens[last + 1])) && isJoined(text, tokens, last + 1)) {
    last += 1;
    if (!/^\d{3}$/u.test(textOf(text, tokens[last]))) break;
  }
  if (last === at) return undefined;
  const end = tokens[last]?.to ?? 0;
  const digits = text
    .slice(tokens[at]?.from ?? 0, end)
    .replace(/\s/gu, '')
    .replace(',', '.');
  const [whole = '', fraction] = digits.split('.');
  const readings = readNumber(fraction === undefined ? whole : `${whole}.${fraction}`).slice(-1);
  return readings.length === 0 ? undefined : { first: at, last, lexemes: readings.map((reading) => `#${reading}`) };
}

const textOf = (text: string, token: Token | undefined): string =>
  token === undefined ? '' : text.slice(token.from, token.to);

/** Whether only one blank stands between a number and the one before. */
function isJoined(text: string, tokens: readonly Token[], at: number): boolean {
  const [before, token] = [tokens[at - 1], tokens[at]];
  if (before === undefined || token === undefined) return false;
  return /^[ \u00a0\u2009\u202f]$/u.test(text.slice(before.to, token.from)) && /^\d+$/u.test(textOf(text, before));
}

/** `2.5 million`. */
function readScaled(tokens: readonly Token[], at: number): Meaning | undefined {
  const zeros = SCALES.get(tokens[at + 1]?.word ?? '');
  const token = tokens[at];
  if (zeros === undefined || token?.word !== null) return undefined;
  const readings = token.lexemes.filter((lexeme) => lexeme.startsWith('#')).map((lexeme) => lexeme.slice(1));
  return readings.length === 0
    ? undefined
    : { first: at, last: at + 1, lexemes: readings.map((reading) => `#${scaleNumber(reading, zeros)}`) };
}
