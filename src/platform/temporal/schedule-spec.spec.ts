import { describe, expect, it } from '@jest/globals';
import { DAYS_OF_WEEK, MONTHS } from '@temporalio/client';
import fc from 'fast-check';
import { cronOfDays, cronOfMinutes } from '../../../test/support/triggers/cron-arbitraries.js';
import { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import { holdsTimes, wakeUpTimes, type WakeUpTimes } from './schedule-spec.js';

/** Generated cases per property; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 1000);
const SEED = process.env['SANDGATE_FUZZ_CASES'] === undefined ? { seed: 28 } : {};
const LONG = 7_200_000;
const ZONES = [
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
  'UTC',
];

/** Whether a calendar of Temporal matches an instant, by its own fields. */
function wakesAt({ calendars: [calendar] }: WakeUpTimes, at: Date): boolean {
  const within = <T>(ranges: { start: T; end: T }[], value: T, order: readonly T[] | null = null): boolean => {
    const rank = (one: T): number => (order === null ? Number(one) : order.indexOf(one));
    return ranges.some(({ start, end }) => rank(start) <= rank(value) && rank(value) <= rank(end));
  };
  return (
    within(calendar.second, at.getUTCSeconds()) &&
    within(calendar.minute, at.getUTCMinutes()) &&
    within(calendar.hour, at.getUTCHours()) &&
    within(calendar.dayOfMonth, at.getUTCDate()) &&
    within(calendar.month, MONTHS[at.getUTCMonth()], MONTHS) &&
    within(calendar.dayOfWeek, DAYS_OF_WEEK[at.getUTCDay()], DAYS_OF_WEEK) &&
    (calendar.year.length === 0 || within(calendar.year, at.getUTCFullYear()))
  );
}

describe('when Temporal wakes a schedule', () => {
  it(
    'proof 28: whenever a generated schedule fires',
    () => {
      const start = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2090, 0, 1) });
      fc.assert(
        fc.property(fc.oneof(cronOfMinutes, cronOfDays), fc.constantFrom(...ZONES), start, ({ text }, zone, from) => {
          const times = new FiringTimes(text, zone);
          const wakeUps = wakeUpTimes(times);
          for (const at of times.upcoming(new Date(from), 3))
            expect([text, zone, at.toISOString(), wakesAt(wakeUps, at)]).toEqual([text, zone, at.toISOString(), true]);
        }),
        { numRuns: CASES, ...SEED },
      );
    },
    LONG,
  );

  it('proof 8: no oftener than it must: at each offset that the zone has', () => {
    const { calendars } = wakeUpTimes(new FiringTimes('30 9 * * 1-5', 'Europe/Berlin'));
    expect(calendars).toEqual([
      {
        second: [{ start: 0, end: 0, step: 1 }],
        minute: [{ start: 30, end: 30, step: 1 }],
        hour: [{ start: 7, end: 8, step: 1 }],
        dayOfMonth: [{ start: 1, end: 31, step: 1 }],
        month: [{ start: 'JANUARY', end: 'DECEMBER', step: 1 }],
        dayOfWeek: [{ start: 'MONDAY', end: 'FRIDAY', step: 1 }],
        year: [],
      },
    ]);
  });

  it('what Temporal lists is held against it field by field', () => {
    const wanted = wakeUpTimes(new FiringTimes('30 9 * * 1-5', 'Europe/Berlin'));
    const listed = { ...wanted, calendars: [{ ...wanted.calendars[0], comment: '' }], intervals: [], skip: [] };
    const [calendar] = listed.calendars;
    if (calendar === undefined) throw new Error('there is one');
    expect(holdsTimes(listed, wanted)).toBe(true);
    expect(holdsTimes(undefined, wanted)).toBe(false);
    expect(holdsTimes({ ...listed, timezone: 'Europe/Berlin' }, wanted)).toBe(false);
    expect(holdsTimes({ ...listed, calendars: [] }, wanted)).toBe(false);
    expect(holdsTimes({ ...listed, calendars: [calendar, calendar] }, wanted)).toBe(false);
    const altered = { ...calendar, hour: [{ start: 7, end: 9, step: 1 }] };
    expect(holdsTimes({ ...listed, calendars: [altered] }, wanted)).toBe(false);
  });
});
