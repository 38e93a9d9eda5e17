import type { Part } from './span-text.js';

/** When something began and ended, as an entry says it. */
export interface EntryDates {
  /** All of it, with the brackets around. */
  whole: Part;
  start: Part | null;
  /** Null of a single date, which then is `start`. */
  end: Part | null;
  /** That it goes on. */
  present: Part | null;
}

const MONTH =
  '(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|spring|summer|fall|autumn|winter|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)\\.?';
const POINT = `(?:${MONTH}\\s?,?\\s?(?:\\d{1,2},\\s)?(?:19|20)\\d{2}|\\d{1,2}[/.](?:19|20)\\d{2}|(?:19|20)\\d{2}(?:-\\d{2}(?!\\d))?|${MONTH}(?=\\s?[-–—]))`;
const PRESENT = '(?:present|current|currently|now|today|ongoing|to date|heute|aujourd’hui|actualidad)';
const RANGE = new RegExp(`\\b(${POINT})\\s?(?:[-–—]|to|until|through|bis)\\s?(${POINT}|${PRESENT})\\b`, 'iu');
const SINGLE = new RegExp(`\\b(${POINT})(?![\\d-])`, 'iu');
const GOES_ON = new RegExp(`^${PRESENT}$`, 'iu');

/** The first span of time of a text, else its first date; null for a text without. */
export function datesIn(text: string): EntryDates | null {
  const range = RANGE.exec(text);
  if (range !== null) return datesOf(text, range);
  const single = SINGLE.exec(text);
  if (single === null) return null;
  const at = { from: single.index, to: single.index + single[0].length, text: single[0] };
  return { whole: bracketed(text, at), start: at, end: null, present: null };
}

/** Whether a line says from when to when. */
export function saysSpan(text: string): boolean {
  return RANGE.test(text);
}

/** Whether a line says a year at all. */
export function saysDate(text: string): boolean {
  return SINGLE.test(text);
}

function datesOf(text: string, match: RegExpExecArray): EntryDates {
  const [said, first = '', second = ''] = match;
  const from = match.index;
  const secondFrom = from + said.length - second.length;
  const last = { from: secondFrom, to: secondFrom + second.length, text: second };
  const goesOn = GOES_ON.test(second);
  return {
    whole: bracketed(text, { from, to: from + said.length, text: said }),
    start: { from, to: from + first.length, text: first },
    end: goesOn ? null : last,
    present: goesOn ? last : null,
  };
}

/** With a bracket that holds nothing else. */
function bracketed(text: string, { from, to }: Part): Part {
  const isIn = text[from - 1] === '(' && text[to] === ')';
  return isIn
    ? { from: from - 1, to: to + 1, text: text.slice(from - 1, to + 1) }
    : { from, to, text: text.slice(from, to) };
}
