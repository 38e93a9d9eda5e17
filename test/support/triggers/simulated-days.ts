import type { MissedRunPolicy } from '../../../src/domain/triggers/subscription.js';
import type { SeededRandom } from '../random/seeded-random.js';
import type { WrittenCron, WrittenField } from './cron-arbitraries.js';
import { fires, type wallTimes } from './wall-clock.js';

/** A schedule of the simulation, with the slots that a look at every minute of its zone finds. */
export interface SimulatedSchedule {
  cron: string;
  timezone: string;
  missed: MissedRunPolicy;
  /** In seconds since 1970. */
  slots: readonly number[];
}

/** A process is away from `from` until `until`, in milliseconds since 1970. */
export interface Outage {
  from: number;
  until: number;
  /** It died in the middle of a firing, if there was one. */
  violent: boolean;
}

/** One moment at which somebody looks at one schedule. */
export interface Look {
  at: number;
  schedule: number;
}

const field = (text: string, matches: (n: number) => boolean): WrittenField => ({ text, matches });
const any = field('*', () => true);

/** Expressions with what they mean by hand: in hours that are left out or repeated, on some days of the week, and at every hour. */
export const CRONS: readonly WrittenCron[] = [
  cron('30 2 * * *', { minute: (n) => n === 30, hour: (n) => n === 2 }),
  cron('30 1 * * *', { minute: (n) => n === 30, hour: (n) => n === 1 }),
  cron('0 9 * * 1-5', { minute: (n) => n === 0, hour: (n) => n === 9, dayOfWeek: (n) => n >= 1 && n <= 5 }),
  cron('*/20 0-3 * * sun', { minute: (n) => n % 20 === 0, hour: (n) => n <= 3, dayOfWeek: (n) => n === 0 }),
  cron('0 * * * *', { minute: (n) => n === 0 }),
];

function cron(
  text: string,
  given: Partial<Record<'minute' | 'hour' | 'dayOfWeek', (n: number) => boolean>>,
): WrittenCron {
  const of = (name: keyof typeof given): WrittenField => field(name, given[name] ?? any.matches);
  return {
    ...{ text, second: field('0', (n) => n === 0), minute: of('minute'), hour: of('hour') },
    ...{ dayOfMonth: any, month: any, dayOfWeek: of('dayOfWeek'), year: any },
  };
}

/** Every slot of an expression in a stretch of time, by the wall clock alone. */
export function slotsOf(written: WrittenCron, walls: ReturnType<typeof wallTimes>): number[] {
  return walls.filter((wall) => fires(written, wall)).map(({ instant }) => instant);
}

/** Restarts at random moments: of a moment, of minutes, of hours. They do not overlap. */
export function outages(random: SeededRandom, count: number, from: number, until: number): Outage[] {
  const lengths = [
    () => random.between(10, 25_000),
    () => random.between(25_000, 40 * 60_000),
    () => random.between(1, 6) * 3_600_000,
  ];
  const each = (until - from) / count;
  return Array.from({ length: count }, (_, index) => {
    const length = Math.min(random.pick(lengths)(), each / 2);
    const start = Math.round(from + index * each + random.next() * (each - length));
    return { from: start, until: Math.round(start + length), violent: random.next() < 0.4 };
  });
}

/**
 * When the schedules are looked at: each wake-up around its slot, some early, some twice, some lost and made up for by maintenance; and
 * all of them when a process is back. Nobody looks during an outage.
 */
export function looksAt(
  random: SeededRandom,
  schedules: readonly SimulatedSchedule[],
  away: readonly Outage[],
): Look[] {
  const looks = schedules.flatMap(({ slots }, schedule) =>
    slots.flatMap((slot) => wakeUps(random, slot * 1000).map((at) => ({ at, schedule }))),
  );
  const back = away.flatMap(({ until }) => schedules.map((_, schedule) => ({ at: until, schedule })));
  const isAway = (at: number): boolean => away.some(({ from, until }) => at >= from && at < until);
  return [...looks.filter(({ at }) => !isAway(at)), ...back].sort((a, b) => a.at - b.at);
}

function wakeUps(random: SeededRandom, slot: number): number[] {
  const woken = slot + random.between(0, 3000);
  const drawn = random.next();
  if (drawn < 0.05) return [slot + random.between(5000, 40_000)];
  if (drawn < 0.15) return [slot - random.between(1, 2000), slot];
  return drawn < 0.3 ? [woken, woken, woken + random.between(1, 2000)] : [woken];
}

type Outcome = 'run' | 'caught_up' | 'missed';

/**
 * What the policy says of the looks at one schedule: the key of each slot that is recorded, with what came of it. A run whose process
 * dies before the commit is none, and its slot stays.
 */
export function expectedHistory(
  { slots, missed }: SimulatedSchedule,
  looks: readonly { at: number; dies: boolean }[],
): Map<number, Outcome> {
  const history = new Map<number, Outcome>();
  let next = 0;
  for (const { at, dies } of looks) {
    const slot = slots[next];
    if (slot === undefined || slot * 1000 > at) continue;
    const isLate = at - slot * 1000 > 30_000;
    const outcome: Outcome = !isLate ? 'run' : missed === 'catch_up' ? 'caught_up' : 'missed';
    if (dies && outcome !== 'missed') continue;
    history.set(slot, outcome);
    while (next < slots.length && (slots[next] as number) * 1000 <= at) next += 1;
  }
  return history;
}
