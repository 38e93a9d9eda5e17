import { SandgateError } from '../../errors.js';

/** What a cron expression matches, field by field: ascending numbers, each once. Sunday is 0. Every field has to match. */
export interface CronFields {
  second: readonly number[];
  minute: readonly number[];
  hour: readonly number[];
  dayOfMonth: readonly number[];
  month: readonly number[];
  dayOfWeek: readonly number[];
  year: readonly number[];
}

export type CronField = keyof CronFields;

interface Dialect {
  label: string;
  from: number;
  to: number;
  /** The greatest number that may be written; above `to` for the second Sunday alone. */
  written: number;
  names: readonly string[];
  /** Whether `?` may stand for `*`. */
  day: boolean;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday'.split(' ');
const SECOND_SUNDAY = 7;

const plain = (label: string, from: number, to: number): Dialect => ({
  ...{ label, from, to },
  written: to,
  names: [],
  day: false,
});

/** The range of each field (docs/design/schedules.md). */
const DIALECT: Record<CronField, Dialect> = {
  second: plain('second', 0, 59),
  minute: plain('minute', 0, 59),
  hour: plain('hour', 0, 23),
  dayOfMonth: { ...plain('day of month', 1, 31), day: true },
  month: { ...plain('month', 1, 12), names: MONTHS },
  dayOfWeek: { ...plain('day of week', 0, 6), written: SECOND_SUNDAY, names: WEEKDAYS, day: true },
  year: plain('year', 1970, 2100),
};

const FIVE: readonly CronField[] = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'];
const ORDERS: Readonly<Record<number, readonly CronField[]>> = {
  5: FIVE,
  6: ['second', ...FIVE],
  7: ['second', ...FIVE, 'year'],
};
/** Longer than any list that a person writes, short enough to be shown. */
const MAX_LENGTH = 1000;
const ITEM = /^(?:(\*)|([a-z0-9]+)(?:-([a-z0-9]+))?)(?:\/([0-9]{1,4}))?$/;
const NUMBER = /^[0-9]{1,4}$/;

/**
 * Reads a cron expression of five fields, six with leading seconds, or seven with a trailing year.
 *
 * @throws SandgateError `invalid_request` that names the field and what is wrong with it
 */
export function parseCron(expression: string): CronFields {
  const text = expression.trim();
  if (text.length > MAX_LENGTH) throw refusal(`is longer than ${MAX_LENGTH} characters`);
  const words = text === '' ? [] : text.split(/\s+/);
  if (text.startsWith('@'))
    throw refusal(`${words[0]} is a shorthand that is not supported; write the five fields, such as 0 0 * * *`);
  if (/^(CRON_)?TZ=/i.test(text)) throw refusal('name the zone in schedule.timezone instead of TZ=');
  const order = ORDERS[words.length];
  if (order === undefined)
    throw refusal(
      `has ${words.length} fields; it takes five (minute hour day month weekday), six with leading seconds, or seven with a trailing year`,
    );
  const fields: CronFields = { ...EVERY, second: [0] };
  order.forEach((field, index) => (fields[field] = parseField(DIALECT[field], words[index] ?? '')));
  return fields;
}

const EVERY = Object.fromEntries(
  Object.entries(DIALECT).map(([field, { from, to }]) => [field, numbers(from, to, 1)]),
) as unknown as CronFields;

/** Whether the field restricts nothing, however that was written. */
export function isEvery(field: CronField, fields: CronFields): boolean {
  return fields[field].length === EVERY[field].length;
}

/** Ascending numbers as runs without gaps. */
export function runsOf(ascending: readonly number[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const number of ascending) {
    const last = runs.at(-1);
    if (last?.to === number - 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  return runs;
}

function parseField(dialect: Dialect, word: string): number[] {
  if (word === '?' && dialect.day) return numbers(dialect.from, dialect.to, 1);
  const matched = new Set<number>();
  for (const item of word.split(','))
    for (const number of parseItem(dialect, item)) matched.add(number > dialect.to ? dialect.from : number);
  return [...matched].sort((a, b) => a - b);
}

function parseItem(dialect: Dialect, item: string): number[] {
  const [whole, star, low, high, every] = ITEM.exec(item.toLowerCase()) ?? [];
  if (whole === undefined) throw refusal(`${dialect.label}: ${show(item)} is not supported; ${syntaxOf(dialect)}`);
  const step = every === undefined ? 1 : Number(every);
  if (step === 0) throw refusal(`${dialect.label}: a step of 0 in ${show(item)}`);
  if (star !== undefined) return numbers(dialect.from, dialect.to, step);
  const from = parseNumber(dialect, low ?? '');
  if (high === undefined) return numbers(from, every === undefined ? from : Math.max(from, dialect.to), step);
  const to = parseRangeEnd(dialect, high, from);
  if (to < from) throw refusal(`${dialect.label}: ${show(item)} ends before it begins`);
  return numbers(from, to, step);
}

/** Sunday ends a week as well as it begins one, so `fri-sun` is three days. */
function parseRangeEnd(dialect: Dialect, word: string, from: number): number {
  const to = parseNumber(dialect, word);
  const isNamed = !NUMBER.test(word);
  return isNamed && to === 0 && from > 0 ? SECOND_SUNDAY : to;
}

function parseNumber({ label, from, written, names }: Dialect, word: string): number {
  if (!NUMBER.test(word)) {
    const index = names.findIndex((name) => name === word || name.slice(0, 3) === word);
    if (index >= 0) return from + index;
    throw refusal(`${label}: unknown name ${show(word)}`);
  }
  const number = Number(word);
  if (number < from || number > written) throw refusal(`${label}: ${number} is not between ${from} and ${written}`);
  return number;
}

function numbers(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

function syntaxOf({ names, day }: Dialect): string {
  const forms = [
    '*',
    'numbers',
    ...(names.length > 0 ? ['names'] : []),
    'ranges a-b',
    'steps */s',
    'lists with commas',
  ];
  return `it takes ${forms.join(', ')}${day ? ', or ? for any' : ''}`;
}

function show(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

function refusal(reason: string): SandgateError {
  return new SandgateError('invalid_request', `schedule.cron: ${reason}`);
}
