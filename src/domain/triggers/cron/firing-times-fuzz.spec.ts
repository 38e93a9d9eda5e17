import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  cronOfDays,
  cronOfMinutes,
  cronOfSeconds,
  type WrittenCron,
} from '../../../../test/support/triggers/cron-arbitraries.js';
import {
  changesOf,
  fires,
  wallReader,
  wallTimes,
  type WallTime,
} from '../../../../test/support/triggers/wall-clock.js';
import { SandgateError } from '../../errors.js';
import { FiringTimes } from './firing-times.js';

/** Generated cases per property; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);
const LONG = 7_200_000;
const SEED = process.env['SANDGATE_FUZZ_CASES'] === undefined ? { seed: 28 } : {};
const DAY = 86_400;
/** Changes by an hour and by half of one, at midnight, before and after it, on both hemispheres, in Ramadan, and none. */
const ZONES = [
  ...['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Beirut', 'America/Havana'],
  ...['Africa/Casablanca', 'Africa/Cairo', 'Pacific/Chatham', 'Asia/Kolkata', 'UTC'],
];
const [FROM, UNTIL] = [Date.UTC(2026, 0, 1) / 1000, Date.UTC(2027, 11, 31) / 1000];

/** A stretch of one zone's wall times around a change of its clock. */
interface Stretch {
  zone: string;
  times: WallTime[];
}

/** Two of each zone, `around` seconds before and after the change. */
function stretches(around: number, step: number): Stretch[] {
  return ZONES.flatMap((zone) => {
    const changes = changesOf(zone, FROM, UNTIL);
    const middles = changes.length > 0 ? changes.slice(0, 2) : [Date.UTC(2026, 5, 1) / 1000];
    return middles.map((at) => ({ zone, times: wallTimes(zone, at - around, at + around, step) }));
  });
}

/** Compares the next firing after some instant of the stretch with the first wall time that fires by the rule. */
function agrees(cron: WrittenCron, { zone, times }: Stretch, at: number, extraMs: number): void {
  const after = (times[at % times.length] as WallTime).instant;
  const expected = times.find((wall) => wall.instant > after && fires(cron, wall))?.instant;
  const next = new FiringTimes(cron.text, zone).next(new Date(after * 1000 + extraMs));
  const found = next === null ? Infinity : next.getTime() / 1000;
  const said = `${cron.text} in ${zone} after ${new Date(after * 1000).toISOString()}`;
  if (expected === undefined) expect([said, found > (times.at(-1) as WallTime).instant]).toEqual([said, true]);
  else expect([said, found]).toEqual([said, expected]);
}

describe('firings of generated schedules', () => {
  it(
    'proof 28: around changes of the clock they are what a look at every minute finds',
    () => {
      const tables = stretches(2 * DAY, 60);
      fc.assert(
        fc.property(
          cronOfMinutes,
          fc.nat(),
          fc.nat(),
          fc.integer({ min: 0, max: 59_999 }),
          (cron, which, at, extraMs) => agrees(cron, tables[which % tables.length] as Stretch, at, extraMs),
        ),
        {
          numRuns: CASES,
          ...SEED,
        },
      );
    },
    LONG,
  );

  it(
    'proof 28: within the hours of a change they are what a look at every second finds',
    () => {
      const tables = stretches(3900, 1);
      fc.assert(
        fc.property(cronOfSeconds, fc.nat(), fc.nat(), fc.integer({ min: 0, max: 999 }), (cron, which, at, extraMs) =>
          agrees(cron, tables[which % tables.length] as Stretch, at, extraMs),
        ),
        {
          numRuns: CASES,
          ...SEED,
        },
      );
    },
    LONG,
  );

  it(
    'proof 28: over the years they are what a look at every day finds, the end included',
    () => {
      const readers = new Map(ZONES.map((zone) => [zone, wallReader(zone)]));
      const start = fc.integer({ min: Date.UTC(2026, 0, 1) / 1000, max: Date.UTC(2099, 0, 1) / 1000 });
      fc.assert(
        fc.property(cronOfDays, fc.constantFrom(...ZONES), start, (cron, zone, after) => {
          const read = readers.get(zone) as ReturnType<typeof wallReader>;
          const next = new FiringTimes(cron.text, zone).next(new Date(after * 1000));
          const said = `${cron.text} in ${zone} after ${new Date(after * 1000).toISOString()}`;
          expect([said, next === null ? null : next.getTime() / 1000]).toEqual([said, byDays(cron, read, after)]);
        }),
        { numRuns: Math.ceil(CASES / 4), ...SEED },
      );
    },
    LONG,
  );

  it(
    'proof 28: any text is either refused with its reason or fires after the instant that it is asked for',
    () => {
      const character = fc.constantFrom(...'0123456789*/-,?  LW#@monfrisu');
      const text = fc.oneof(fc.string(), fc.string({ unit: character, maxLength: 40 }), mutated);
      fc.assert(
        fc.property(text, fc.constantFrom(...ZONES), (cron, zone) => {
          const after = new Date('2026-11-23T10:00:00.500Z');
          const next = nextOrRefusal(cron, zone, after);
          if (typeof next === 'string') expect(next).toMatch(/^schedule\.cron: ./);
          else if (next !== null) expect(next.getTime()).toBeGreaterThan(after.getTime());
        }),
        { numRuns: CASES, ...SEED },
      );
    },
    LONG,
  );
});

const mutated = fc
  .tuple(fc.oneof(cronOfMinutes, cronOfSeconds), fc.nat(), fc.constantFrom(...'0*/-,? L#7'))
  .map(([{ text }, at, character]) => {
    const index = at % text.length;
    return `${text.slice(0, index)}${character}${text.slice(index + 1)}`;
  });

function nextOrRefusal(cron: string, zone: string, after: Date): Date | null | string {
  try {
    return new FiringTimes(cron, zone).next(after);
  } catch (cause) {
    if (cause instanceof SandgateError && cause.code === 'invalid_request') return cause.message;
    throw cause;
  }
}

/** The one time of each matching day, at whichever offset the clock really shows it first. */
function byDays(cron: WrittenCron, read: ReturnType<typeof wallReader>, after: number): number | null {
  const time = numberOf(cron.hour) * 3600 + numberOf(cron.minute) * 60 + numberOf(cron.second);
  const firstDay = Math.floor(after / DAY) - 1;
  const end = Date.UTC(2101, 0, 1) / 1000;
  for (let midnight = firstDay * DAY; midnight < end; midnight += DAY) {
    const day = new Date(midnight * 1000);
    const matches =
      cron.year.matches(day.getUTCFullYear()) &&
      cron.month.matches(day.getUTCMonth() + 1) &&
      cron.dayOfMonth.matches(day.getUTCDate()) &&
      cron.dayOfWeek.matches(day.getUTCDay());
    if (!matches) continue;
    const instant = firstShown(midnight + time, read);
    if (instant !== null && instant > after) return instant;
  }
  return null;
}

function numberOf(field: { text: string }): number {
  return Number(field.text);
}

/** From the greatest offset that any zone has to the least, so the earliest instant comes first. */
function firstShown(wall: number, read: ReturnType<typeof wallReader>): number | null {
  const shown = new Date(wall * 1000);
  for (let offset = 15 * 3600; offset >= -12 * 3600; offset -= 900) {
    const seen = read(wall - offset);
    const same =
      seen.dayOfMonth === shown.getUTCDate() &&
      seen.hour === shown.getUTCHours() &&
      seen.minute === shown.getUTCMinutes() &&
      seen.second === shown.getUTCSeconds();
    if (same) return wall - offset;
  }
  return null;
}
