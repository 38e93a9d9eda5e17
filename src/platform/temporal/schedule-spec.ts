import { DAYS_OF_WEEK, MONTHS, type CalendarSpecDescription, type ScheduleSpecDescription } from '@temporalio/client';
import { isEvery, parseCron, runsOf, type CronField, type CronFields } from '../../domain/triggers/cron/cron-fields.js';
import type { FiringTimes } from '../../domain/triggers/cron/firing-times.js';

/** When Temporal wakes a schedule: whenever it fires, and possibly more often. */
export interface WakeUpTimes {
  calendars: [Pick<CalendarSpecDescription, CronField>];
  timezone: string;
}

/** Temporal refuses earlier years, which are over anyway. */
const FIRST_YEAR = 2000;
const HOUR_SECS = 3600;
const ORDER: readonly CronField[] = ['second', 'minute', 'hour', 'dayOfMonth', 'month', 'dayOfWeek', 'year'];
/** In UTC. */
const EVERY_HOUR = parseCron('* * * * *');

/**
 * The structured calendar of a schedule. The cron expression itself is not handed on, because Temporal reads six fields in another way
 * and refuses `?`. Where a zone's clock changes by anything but an hour Temporal leaves out times of that day: there it wakes at every
 * hour of UTC, at the minutes that may be meant (docs/design/schedules.md).
 */
export function wakeUpTimes({
  fields,
  timezone,
  offsets,
}: Pick<FiringTimes, 'fields' | 'timezone' | 'offsets'>): WakeUpTimes {
  const isByAnHour = offsets.every((one) => offsets.every((other) => [0, HOUR_SECS].includes(Math.abs(one - other))));
  if (isByAnHour) return { calendars: [calendarOf(fields)], timezone };
  const minutes = offsets.flatMap((offset) => fields.minute.map((minute) => (((minute - offset / 60) % 60) + 60) % 60));
  const everyHour = calendarOf({
    ...EVERY_HOUR,
    second: fields.second,
    minute: [...new Set(minutes)].sort((a, b) => a - b),
  });
  return { calendars: [everyHour], timezone: 'UTC' };
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

function textOf(calendar: Pick<CalendarSpecDescription, CronField>): string {
  return JSON.stringify(ORDER.map((field) => calendar[field].map(({ start, end }) => [start, end])));
}

function calendarOf(fields: CronFields): Pick<CalendarSpecDescription, CronField> {
  const ranges = <T>(field: CronField, name: (number: number) => T): { start: T; end: T; step: number }[] =>
    runsOf(fields[field]).map(({ from, to }) => ({ start: name(from), end: name(to), step: 1 }));
  const number = (value: number): number => value;
  const years = fields.year.filter((year) => year >= FIRST_YEAR);
  return {
    second: ranges('second', number),
    minute: ranges('minute', number),
    hour: ranges('hour', number),
    dayOfMonth: ranges('dayOfMonth', number),
    month: ranges('month', (month) => MONTHS[month - 1] as (typeof MONTHS)[number]),
    dayOfWeek: ranges('dayOfWeek', (day) => DAYS_OF_WEEK[day] as (typeof DAYS_OF_WEEK)[number]),
    // Temporal shows every year as none.
    year: isEvery('year', fields) ? [] : runsOf(years).map(({ from, to }) => ({ start: from, end: to, step: 1 })),
  };
}
