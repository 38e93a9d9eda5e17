import fc from 'fast-check';

/** One field as it is written, with what it means by construction: nothing here reads cron. */
export interface WrittenField {
  text: string;
  matches: (number: number) => boolean;
}

/** Numbers as `wallAt` of the oracle shows them; Sunday is 0. */
export interface WrittenCron {
  text: string;
  second: WrittenField;
  minute: WrittenField;
  hour: WrittenField;
  dayOfMonth: WrittenField;
  month: WrittenField;
  dayOfWeek: WrittenField;
  year: WrittenField;
}

const MONTHS = ['', 'jan', 'FEB', 'March', 'apr', 'MAY', 'june', 'Jul', 'august', 'sep', 'Oct', 'november', 'DEC'];
const WEEKDAYS = ['sun', 'MONDAY', 'Tue', 'wed', 'thursday', 'FRI', 'Saturday'];
const any: WrittenField = { text: '*', matches: () => true };

/** A field's whole range, and the part of it from which numbers are drawn. */
interface Range {
  from: number;
  to: number;
  drawn?: { min: number; max: number };
}

function item({ from, to, drawn }: Range, nameOf: (n: number) => string): fc.Arbitrary<WrittenField> {
  const number = fc.integer(drawn ?? { min: from, max: to });
  const step = fc.integer({ min: 1, max: Math.min(30, Math.max(2, Math.ceil((to - from) / 2))) });
  const range = fc.tuple(number, number).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const within = (n: number, low: number, high: number, by: number): boolean =>
    n >= low && n <= high && (n - low) % by === 0;
  return fc.oneof(
    { weight: 4, arbitrary: number.map((a) => ({ text: nameOf(a), matches: (n: number) => n === a })) },
    {
      weight: 2,
      arbitrary: range.map(([a, b]) => ({
        text: `${nameOf(a)}-${nameOf(b)}`,
        matches: (n: number) => within(n, a, b, 1),
      })),
    },
    step.map((by) => ({ text: `*/${by}`, matches: (n: number) => within(n, from, to, by) })),
    fc.tuple(range, step).map(([[a, b], by]) => ({
      text: `${nameOf(a)}-${nameOf(b)}/${by}`,
      matches: (n: number) => within(n, a, b, by),
    })),
    fc
      .tuple(number, step)
      .map(([a, by]) => ({ text: `${nameOf(a)}/${by}`, matches: (n: number) => within(n, a, to, by) })),
  );
}

/** @param every how often it is `*`, against one list */
function field(range: Range, every: number, nameOf: (n: number) => string = String): fc.Arbitrary<WrittenField> {
  const list = fc.array(item(range, nameOf), { minLength: 1, maxLength: 3 }).map((items) => ({
    text: items.map(({ text }) => text).join(','),
    matches: (n: number) => items.some(({ matches }) => matches(n)),
  }));
  return fc.oneof({ weight: every, arbitrary: fc.constant(any) }, { weight: 1, arbitrary: list });
}

const SIXTY: Range = { from: 0, to: 59 };
const HOURS: Range = { from: 0, to: 23 };
const DAYS: Range = { from: 1, to: 31 };
const MONTHS_OF_YEAR: Range = { from: 1, to: 12 };
const DAYS_OF_WEEK: Range = { from: 0, to: 6 };
const yearsFrom = (min: number, max: number): Range => ({ from: 1970, to: 2100, drawn: { min, max } });
/** Often of the hours in which clocks change. */
const hour = fc.oneof(field(HOURS, 1), item({ ...HOURS, drawn: { min: 0, max: 4 } }, String));

const orMark = (day: fc.Arbitrary<WrittenField>): fc.Arbitrary<WrittenField> =>
  fc.oneof({ weight: 5, arbitrary: day }, fc.constant({ ...any, text: '?' }));
const secondSunday: fc.Arbitrary<WrittenField> = fc.constantFrom(
  { text: '7', matches: (n: number) => n === 0 },
  { text: '5-7', matches: (n: number) => n === 0 || n >= 5 },
  { text: 'thu-SUN', matches: (n: number) => n === 0 || n >= 4 },
);
const dayOfWeek = orMark(
  fc.oneof(
    { weight: 3, arbitrary: field(DAYS_OF_WEEK, 3) },
    field(DAYS_OF_WEEK, 1, (n) => WEEKDAYS[n] ?? ''),
    secondSunday,
  ),
);
const dayOfMonth = orMark(field(DAYS, 3));
const month = fc.oneof(
  field(MONTHS_OF_YEAR, 3),
  field(MONTHS_OF_YEAR, 3, (n) => MONTHS[n] ?? ''),
);

const write = (order: readonly Exclude<keyof WrittenCron, 'text'>[]) => (cron: Omit<WrittenCron, 'text'>) => ({
  ...cron,
  text: order.map((name) => cron[name].text).join(' '),
});
const FIVE = ['minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek'] as const;
const second0: WrittenField = { text: '0', matches: (n) => n === 0 };
const exactly = (from: number, to: number): fc.Arbitrary<WrittenField> =>
  fc.integer({ min: from, max: to }).map((a) => ({ text: String(a), matches: (n: number) => n === a }));

/** Five fields, often of the hours in which clocks change. */
export const cronOfMinutes: fc.Arbitrary<WrittenCron> = fc
  .record({
    second: fc.constant(second0),
    minute: field(SIXTY, 1),
    hour,
    ...{ dayOfMonth, month, dayOfWeek, year: fc.constant(any) },
  })
  .map(write(FIVE));

/** Six or seven fields, with every day matching more often than not. */
export const cronOfSeconds: fc.Arbitrary<WrittenCron> = fc
  .record({
    ...{ second: field(SIXTY, 1), minute: field(SIXTY, 2), hour },
    ...{
      dayOfMonth: orMark(field(DAYS, 9)),
      month: field(MONTHS_OF_YEAR, 9),
      dayOfWeek: orMark(field(DAYS_OF_WEEK, 9)),
    },
    year: field(yearsFrom(2026, 2028), 9),
  })
  .map((cron) => (cron.year === any ? write(['second', ...FIVE])(cron) : write(['second', ...FIVE, 'year'])(cron)));

/** Seven fields that match at one time of a day, on days that may be far away. */
export const cronOfDays: fc.Arbitrary<WrittenCron> = fc
  .record({
    ...{ second: exactly(0, 59), minute: exactly(0, 59), hour: exactly(0, 23) },
    ...{ dayOfMonth, month, dayOfWeek, year: field(yearsFrom(2020, 2100), 3) },
  })
  .map(write(['second', ...FIVE, 'year']));
