import { DAYS_OF_WEEK, MONTHS, type CalendarSpecDescription, type ScheduleSpecDescription } from '@temporalio/client';
import { runsOf, type CronField, type CronFields } from '../../domain/triggers/cron/cron-fields.js';
import type { FiringTimes } from '../../domain/triggers/cron/firing-times.js';

/** When Temporal wakes a schedule: whenever it fires, and possibly more often. */
export interface WakeUpTimes {
  calendars: [Pick<CalendarSpecDescription, CronField>];
  timezone: 'UTC';
}

/** What Temporal accepts of years. */
const [FIRST_YEAR, LAST_YEAR] = [2000, 2100];
/** The last days of the shortest and of the longest month. */
const [SHORT_MONTH, LONG_MONTH] = [28, 31];
const ORDER: readonly CronField[] = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'];

/**
 * The structured calendar of a schedule, in UTC: at every offset from UTC that its zone has, each field by itself. The server's own
 * reading of zones is not used: of a repeated hour it may know the second copy alone, it leaves out times where a clock changes by
 * half an hour, and its zones may be older than ours (docs/design/schedules.md).
 */
export function wakeUpTimes({ fields, offsets }: Pick<FiringTimes, 'fields' | 'offsets'>): WakeUpTimes {
  return { calendars: [calendarOf(inUtc(fields, offsets))], timezone: 'UTC' };
}

/** Whether Temporal holds these times, by what its list of schedules shows. */
export function holdsTimes(listed: ScheduleSpecDescription | undefined, wanted: WakeUpTimes): boolean {
  const [calendar, ...more] = listed?.calendars ?? [];
  return (
    calendar !== undefined &&
    more.length === 0 &&
    listed?.timezone === wanted.timezone &&
    textOf(calendar) === textOf(wanted.calendars[0])
  );
}

function inUtc(fields: CronFields, offsets: readonly number[]): CronFields {
  const minutes = offsets.flatMap((offset) => fields.minute.map((minute) => minute - offset / 60));
  const carried = ascending(minutes.map((minute) => Math.floor(minute / 60)));
  const hours = carried.flatMap((carry) => fields.hour.map((hour) => hour + carry));
  const days = ascending(hours.map((hour) => Math.floor(hour / 24)));
  const { dayOfMonth, dayOfWeek, month, year } = fields;
  const before = days.includes(-1) && dayOfMonth.includes(1) ? [-1] : [];
  const after = days.includes(1) && dayOfMonth.some((day) => day >= SHORT_MONTH) ? [1] : [];
  const months = [0, ...before, ...after];
  const years = [0, ...(month.includes(1) ? before : []), ...(month.includes(12) ? after : [])];
  return {
    second: fields.second,
    minute: ascending(minutes.map((minute) => modulo(minute, 60))),
    hour: ascending(hours.map((hour) => modulo(hour, 24))),
    dayOfMonth: ascending(days.flatMap((by) => dayOfMonth.flatMap((day) => dayBeside(day, by)))),
    month: ascending(months.flatMap((by) => month.map((number) => modulo(number - 1 + by, 12) + 1))),
    dayOfWeek: ascending(days.flatMap((by) => dayOfWeek.map((day) => modulo(day + by, 7)))),
    year: ascending(years.flatMap((by) => year.map((number) => number + by))),
  };
}

/** Which day of some month the day before or after may be. */
function dayBeside(day: number, by: number): number[] {
  if (by === -1 && day === 1) return [28, 29, 30, LONG_MONTH];
  if (by === 1 && day >= SHORT_MONTH) return day === LONG_MONTH ? [1] : [1, day + 1];
  return [day + by];
}

function ascending(numbers: number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function modulo(number: number, by: number): number {
  return ((number % by) + by) % by;
}

function textOf(calendar: Pick<CalendarSpecDescription, CronField>): string {
  return JSON.stringify(ORDER.map((field) => calendar[field].map(({ start, end }) => [start, end])));
}

function calendarOf(fields: CronFields): Pick<CalendarSpecDescription, CronField> {
  const ranges = <T>(numbers: readonly number[], name: (number: number) => T): { start: T; end: T; step: number }[] =>
    runsOf(numbers).map(({ from, to }) => ({ start: name(from), end: name(to), step: 1 }));
  const number = (value: number): number => value;
  const years = fields.year.filter((year) => year >= FIRST_YEAR && year <= LAST_YEAR);
  return {
    second: ranges(fields.second, number),
    minute: ranges(fields.minute, number),
    hour: ranges(fields.hour, number),
    dayOfMonth: ranges(fields.dayOfMonth, number),
    month: ranges(fields.month, (month) => MONTHS[month - 1] as (typeof MONTHS)[number]),
    dayOfWeek: ranges(fields.dayOfWeek, (day) => DAYS_OF_WEEK[day] as (typeof DAYS_OF_WEEK)[number]),
    // Temporal shows every year as none.
    year: years.length > LAST_YEAR - FIRST_YEAR ? [] : ranges(years, number),
  };
}
