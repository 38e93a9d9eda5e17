import type { ValueKind } from '../words/concepts.js';
import { conceptOf } from '../words/lexicon.js';
import { singularOf, wordsOf } from '../words/name-field.js';
import { unitKind } from '../words/units.js';

/** What a column holds. */
export interface ColumnKind {
  kind: ValueKind;
  /** Its only values, in alphabetical order. */
  values: string[] | null;
  /** From how its numbers are shown. */
  unit: string | null;
}

/** Of a column, as many values as are looked at. */
const MOST_SAMPLES = 1_000;
/** Of a value, as many characters as say what it is. */
const LONGEST = 200;
const SURE_FROM = 0.95;
const MOST_VALUES = 12;
const LEAST_SEEN = 3;
/** Days since the end of 1899 that are dates of living people's sheets: 1927 to 2119. */
const FIRST_DAY = 10_000;
const LAST_DAY = 80_000;
/** A longer row of digits is a code that nobody calculates with. */
const MOST_DIGITS = 12;

const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june|july|august|september|october|november|december)';
const DAY = new RegExp(
  `^(?:\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.](?:\\d{4}|\\d{2})|\\d{1,2}\\.?[ -]${MONTH}\\.?[ ,-]+\\d{2,4}|${MONTH}\\.? \\d{1,2},? \\d{4})$`,
  'iu',
);
const CLOCK = '\\d{1,2}:\\d{2}(?::\\d{2}(?:\\.\\d+)?)?(?: ?[ap]m)?';
const TIME = new RegExp(`^${CLOCK}$`, 'iu');
const MOMENT = new RegExp(`^\\S.*[T ]${CLOCK}(?:Z|[+-]\\d{2}:?\\d{2})?$`, 'iu');
const NUMBER = /^[-+(]?\s*(?:\d{1,3}(?:[ ,.'’\u00A0\u202F]\d{3})+|\d+)(?:[.,]\d+)?\s*\)?$/u;
const WHOLE = /^[-+]?(?:\d{1,3}(?:[ ,'’\u00A0\u202F]\d{3})+|\d+)$/u;
const CURRENCY = /^([-+(]?\s*)(\p{Sc}|[A-Z]{3})\s*(.+)$|^(.+?)\s*(\p{Sc}|[A-Z]{3})(\)?)$/u;
/** Of a code: a number that somebody calculates with has none. */
const LEADING_ZERO = /^0\d[^.,]*$/u;
const YES_NO = /^(?:yes|no|true|false|y|n|x|✓|✗|☑|☐|ja|nein|oui|non)$/iu;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]+$/u;
const ADDRESS = /^(?:https?:\/\/|www\.)\S+$/iu;

/** The kind of a column by its values, of which nineteen in twenty have to agree, and by its header where values alone say too little. */
export function columnKind(header: string, given: readonly string[]): ColumnKind {
  const samples = given
    .map((text) => text.slice(0, LONGEST).trim())
    .filter((text) => text !== '')
    .slice(0, MOST_SAMPLES);
  const noun = conceptOf(wordsOf(header.replaceAll(/\([^)]*\)|\[[^\]]*\]/gu, ' ')).map(singularOf))?.kind ?? null;
  if (samples.length === 0) return { kind: noun ?? 'text', values: null, unit: null };
  const agree = (test: (text: string) => boolean): boolean => samples.filter(test).length >= SURE_FROM * samples.length;
  const kind = kindOf(noun, samples, agree);
  if (kind === 'text') return { kind, values: valuesOf(samples), unit: null };
  return { kind, values: null, unit: unitOf(samples, agree) };
}

type Agree = (test: (text: string) => boolean) => boolean;

function kindOf(noun: ValueKind | null, samples: readonly string[], agree: Agree): ValueKind {
  if (agree((text) => YES_NO.test(text))) return 'boolean';
  if (agree((text) => EMAIL.test(text))) return 'email';
  if (agree((text) => ADDRESS.test(text))) return 'uri';
  if (agree((text) => DAY.test(text))) return 'date';
  if (agree((text) => TIME.test(text))) return 'time';
  if (agree(isMoment)) return 'date-time';
  if (samples.some((text) => LEADING_ZERO.test(text))) return agree((text) => /\d/.test(text)) ? 'identifier' : 'text';
  if (!agree((text) => NUMBER.test(amountOf(text)))) return 'text';
  return numberKind(noun, agree);
}

/** A number in a column of days is a day, and one that only names something is no number. */
function numberKind(noun: ValueKind | null, agree: Agree): ValueKind {
  const isWhole = agree((text) => WHOLE.test(text));
  if (noun === 'date' && agree(isDayNumber)) return 'date';
  if (isWhole && (noun === 'identifier' || noun === 'phone')) return noun;
  if (isWhole && !agree((text) => text.length <= MOST_DIGITS)) return 'identifier';
  if (agree((text) => text.endsWith('%'))) return 'percent';
  if (noun === 'money' || noun === 'percent' || noun === 'number') return noun;
  return isWhole ? 'integer' : 'number';
}

function isMoment(text: string): boolean {
  const at = text.search(/[T ]\d{1,2}:\d{2}/u);
  return at > 0 && MOMENT.test(text) && DAY.test(text.slice(0, at).replace(/,$/u, ''));
}

function isDayNumber(text: string): boolean {
  if (!/^\d{5}(?:\.\d+)?$/.test(text)) return /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(text);
  return Number(text) >= FIRST_DAY && Number(text) <= LAST_DAY;
}

/** A number without the unit that is shown with it. */
function amountOf(text: string): string {
  const plain = text.replace(/\s*[%‰]$/u, '');
  const money = CURRENCY.exec(plain);
  if (money !== null) return money[3] === undefined ? `${money[4]}${money[6]}` : `${money[1]}${money[3]}`;
  const measured = /^(.*\d)\s*([^\d\s]+)$/u.exec(plain);
  return measured !== null && unitKind(measured[2] ?? '') !== null ? (measured[1] ?? plain) : plain;
}

function unitOf(samples: readonly string[], agree: Agree): string | null {
  const [first = ''] = samples;
  const shown = /(\p{Sc}|[A-Z]{3})\s*\)?$/u.exec(first)?.[1] ?? /^[-+(]?\s*(\p{Sc}|[A-Z]{3})/u.exec(first)?.[1];
  const unit = shown ?? /\d\s*([^\d\s.,)]+)$/u.exec(first)?.[1];
  return unit !== undefined && unitKind(unit) !== null && agree((text) => text.includes(unit)) ? unit : null;
}

/** At most twelve values, each seen three times: then there are no others. */
function valuesOf(samples: readonly string[]): string[] | null {
  const seen = new Map<string, number>();
  for (const text of samples) seen.set(text, (seen.get(text) ?? 0) + 1);
  if (seen.size < 2 || seen.size > MOST_VALUES) return null;
  return [...seen.values()].every((count) => count >= LEAST_SEEN) ? [...seen.keys()].sort() : null;
}
