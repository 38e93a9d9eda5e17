import type { JsonPrimitive } from '../../../../../src/domain/json.js';
import type { NormalScalar, ScalarRule } from '../../schemas/normal-schema.js';
import { amountText, readNumber, type DecimalMark } from './amounts.js';
import { CURRENCY_PATTERN, currencyOf } from './currencies.js';
import { readDate, type DateOrder } from './dates.js';
import { truthOf, valueSaid } from './phrases.js';
import { figure, scale, unit } from './statement-figures.js';
import { dateFormOf, writeDate } from './written-date.js';

/** From what is printed to the value, by the schema alone. Null where it does not follow. */
export type Normalizer = (raw: string, node: NormalScalar) => JsonPrimitive;

/** What is printed, with white space folded; a value of a closed list in its spelling there. */
const verbatim: Normalizer = (raw, node) => {
  const text = folded(raw);
  return text === '' ? null : asText(text, node);
};

/** Lines of a passage, with words that were divided at the end of one put together again. */
const passage: Normalizer = (raw, node) => verbatim(raw.replaceAll(/(\p{Ll})[-\u00ad]\s+(\p{Ll})/gu, '$1$2'), node);

const numberBy =
  (mark: DecimalMark): Normalizer =>
  (raw, node) => {
    const read = readNumber(raw, mark);
    if (read === null) return null;
    for (const rule of node.rules) {
      if (rule.type === 'number' || (rule.type === 'integer' && Number.isInteger(read.value))) return read.value;
      if (rule.type === 'string') return verbatim(withoutCurrency(amountText(folded(raw), mark), node), node);
    }
    return null;
  };

const CURRENCY = new RegExp(String.raw`^(?:${CURRENCY_PATTERN})\s?|\s?(?:${CURRENCY_PATTERN})$`, 'gu');

/** An amount as text has its currency beside it unless the schema says otherwise. */
function withoutCurrency(text: string, { description }: NormalScalar): string {
  return /\bwithout (?:the |its |any )?currency\b/iu.test(description) ? text.replace(CURRENCY, '') : text;
}

const dateBy =
  (order: DateOrder): Normalizer =>
  (raw, node) => {
    const date = readDate(raw, order);
    if (date === null) return null;
    if (!takes(node, 'string')) return takes(node, 'integer') || takes(node, 'number') ? date.year : null;
    const form = dateFormOf(node);
    if (form === null) return verbatim(raw, node);
    return writeDate(
      date,
      form,
      node.rules.some(({ format }) => format === 'date'),
    );
  };

/** The moment of a day and a time beside it, as if it were in UTC where no zone is printed. */
const moment =
  (order: DateOrder): Normalizer =>
  (raw, node) => {
    const time = timeIn(raw);
    const date = readDate(time === null ? raw : raw.replace(time.said, ' '), order);
    if (date?.day === null || date === null || !takes(node, 'string')) return null;
    if (!node.rules.some(({ format }) => format === 'date-time')) return verbatim(raw, node);
    const day = writeDate(date, 'YYYY-MM-DD', true);
    return day === null ? null : `${day}T${time?.iso ?? '00:00:00'}Z`;
  };

const time: Normalizer = (raw, node) => {
  const read = timeIn(raw);
  if (read === null || !takes(node, 'string')) return null;
  return node.rules.some(({ format }) => format === 'time') ? `${read.iso}Z` : verbatim(raw, node);
};

const currency: Normalizer = (raw, node) => {
  const code = currencyOf(raw);
  return code === null ? null : asText(code, node);
};

/** Signs of a number or a code without the white space inside. */
const compact: Normalizer = (raw, node) => {
  const text = raw.replaceAll(/\s+/gu, '');
  return text === '' ? null : asText(text, node);
};

const truth: Normalizer = (raw, node) => (takes(node, 'boolean') ? truthOf(raw) : null);

/** What a text requires or has is true by being said. */
const mentioned: Normalizer = (raw, node) => (takes(node, 'boolean') && folded(raw) !== '' ? true : null);

/** The value of a closed list that a phrase says. */
const choice: Normalizer = (raw, node) => {
  const values = node.rules.flatMap((rule) => rule.values ?? []);
  return valueSaid(raw, values);
};

/**
 * Every way by which a value may follow from what is printed. A value that names one is checked against it: no answer says something that its words do not.
 */
export const NORMALIZERS = {
  verbatim,
  passage,
  number: numberBy('.'),
  number_comma: numberBy(','),
  date_day_first: dateBy('day'),
  date_month_first: dateBy('month'),
  moment_day_first: moment('day'),
  moment_month_first: moment('month'),
  time,
  currency,
  compact,
  truth,
  mentioned,
  choice,
  figure,
  scale,
  unit,
} as const satisfies Record<string, Normalizer>;

export type NormalizerName = keyof typeof NORMALIZERS;

function folded(raw: string): string {
  return raw.replaceAll(/\s+/gu, ' ').trim();
}

function takes({ rules }: NormalScalar, type: ScalarRule['type']): boolean {
  return rules.some((rule) => rule.type === type);
}

/** A text where the schema takes one; one of its values where it has a closed list. */
function asText(text: string, { rules }: NormalScalar): JsonPrimitive {
  const [rule] = rules.filter(({ type }) => type === 'string');
  if (rule === undefined) return null;
  return rule.values === null ? text : valueSaid(text, rule.values);
}

const TIME = /(\d{1,2})[:.h](\d{2})(?:[:.](\d{2}))?\s?([ap])?\.?m?\b/iu;

/** A time of day in 24 hours. */
export function timeIn(text: string): { said: string; iso: string; from: number } | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [said, hours = '', minutes = '', seconds = '00', half] = match;
  const noon = half?.toLowerCase() === 'p' && Number(hours) < 12 ? 12 : 0;
  const hour = half?.toLowerCase() === 'a' && Number(hours) === 12 ? 0 : Number(hours) + noon;
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  return { said, iso: `${String(hour).padStart(2, '0')}:${minutes}:${seconds}`, from: match.index };
}
