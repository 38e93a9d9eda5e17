import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '../../../src/core/record/database.js';
import type { ScheduleFirings, ScheduleRef } from '../../../src/core/triggers/schedule-firings.js';
import type { SubscriptionRuns } from '../../../src/core/triggers/subscription-runs.js';
import { fireTimeOf } from '../../../src/domain/triggers/firing.js';
import { SeededRandom } from '../../support/random/seeded-random.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';
import {
  CRONS,
  expectedHistory,
  looksAt,
  outages,
  slotsOf,
  type Look,
  type Outage,
  type SimulatedSchedule,
} from '../../support/triggers/simulated-days.js';
import { wallTimes } from '../../support/triggers/wall-clock.js';

/** The nightly campaign has every expression under both policies; `npm test` a share of them. */
const FULL = process.env['TEST_SCHEDULE_DAYS'] === 'full';
const LONG = 7_200_000;
const DAYS = 90;
const RESTARTS = 200;
/** Their clocks change by an hour and by half of one, on both hemispheres. */
const ZONES = ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe'];
/** In `npm test` each zone has one expression, in the hours that it leaves out or repeats. */
const SHARE = [1, 0, 3];
/** In either stretch the clocks of all three zones change, forward for some and back for others. */
const STRETCHES = [
  ['2026-02-20T00:00:00Z', 7],
  ['2026-09-10T00:00:00Z', 8],
] as const;

function schedulesOf(from: number, until: number, seed: number): SimulatedSchedule[] {
  return ZONES.flatMap((timezone, zone) => {
    const walls = wallTimes(timezone, from / 1000, until / 1000, 60).filter(({ instant }) => instant * 1000 > from);
    return CRONS.flatMap((cron, index) => {
      const policies = (['skip', 'catch_up'] as const).filter(
        (_, policy) => FULL || (SHARE[zone] === index && (zone + seed) % 2 === policy),
      );
      return policies.map((missed) => ({ cron: cron.text, timezone, missed, slots: slotsOf(cron, walls) }));
    });
  });
}

/** One process after the other, with connections of its own, until the days are over. */
class Days {
  private database: Database | undefined;
  private firings: ScheduleFirings | undefined;
  private dying = false;

  constructor(
    private readonly bench: ScheduleBench,
    private readonly refs: readonly ScheduleRef[],
  ) {}

  async pass(looks: readonly Look[], away: readonly Outage[]): Promise<void> {
    const left = [...away];
    await this.restart();
    for (const [index, { at, schedule }] of looks.entries()) {
      const [outage] = left;
      if (outage !== undefined && at >= outage.from) {
        left.shift();
        await this.restart();
      }
      this.bench.at(at);
      const following = looks[index + 1];
      this.dying = left[0]?.violent === true && following !== undefined && following.at >= left[0].from;
      await this.look(this.refs[schedule] as ScheduleRef);
    }
    await this.database?.close();
  }

  /** A process that dies takes its transaction with it; what it was about to do is done by the next one. */
  private async look(ref: ScheduleRef): Promise<void> {
    try {
      await this.firings?.fire(ref);
    } catch (cause) {
      if (!this.dying || !(cause instanceof Error) || cause.message !== 'killed') throw cause;
    }
  }

  private async restart(): Promise<void> {
    await this.database?.close();
    const { ownerUrl: url } = this.bench.api.database;
    this.database = await Database.connect({ url, poolSize: 2, applicationName: 'another process' });
    this.firings = this.bench.process(this.database, (runs) => this.mortal(runs));
  }

  private mortal(runs: SubscriptionRuns): SubscriptionRuns {
    const start: SubscriptionRuns['start'] = async (tx, firing) => {
      const started = await runs.start(tx, firing);
      if (this.dying) throw new Error('killed');
      return started;
    };
    return { start, attempt: (work) => runs.attempt(work) } as SubscriptionRuns;
  }
}

describe('ninety days of schedules', () => {
  let bench: ScheduleBench;
  beforeAll(async () => {
    bench = await ScheduleBench.start(STRETCHES[0][0]);
  });
  afterAll(() => bench.close());

  it.each(STRETCHES)(
    'proof 8: from %s on, over changes of the clock in three zones and 200 restarts, no slot is missed or doubled beyond its policy',
    async (start, seed) => {
      const from = Date.parse(start);
      const until = from + DAYS * 86_400_000;
      const schedules = schedulesOf(from, until, seed);
      const random = new SeededRandom(seed);
      const away = outages(random, RESTARTS, from, until);
      const looks = looksAt(random, schedules, away);
      bench.at(from);
      const refs: ScheduleRef[] = [];
      for (const schedule of schedules) refs.push(await bench.add(schedule));
      await new Days(bench, refs).pass(looks, away);
      const seen = { run: 0, caught_up: 0, missed: 0 };
      for (const [index, schedule] of schedules.entries()) {
        const ref = refs[index] as ScheduleRef;
        const expected = expectedHistory(schedule, looksOf(looks, away, index));
        for (const outcome of expected.values()) seen[outcome] += 1;
        expect({ cron: schedule.cron, history: await historyOf(bench, ref) }).toEqual({
          cron: schedule.cron,
          history: [...expected].map(([slot, outcome]) => [fireTimeOf(new Date(slot * 1000)), outcome]),
        });
      }
      // The simulation is worth nothing where a branch was never taken.
      expect(Math.min(...Object.values(seen))).toBeGreaterThan(5);
    },
    LONG,
  );
});

/** Of one schedule: when it is looked at, and whether the process then dies before its run is committed. */
function looksOf(looks: readonly Look[], away: readonly Outage[], schedule: number): { at: number; dies: boolean }[] {
  const deaths = away.filter(({ violent }) => violent);
  return looks
    .map(({ at, schedule: of }, index) => {
      const following = looks[index + 1]?.at ?? at;
      return { at, of, dies: deaths.some(({ from }) => at < from && following >= from) };
    })
    .filter(({ of }) => of === schedule);
}

async function historyOf(bench: ScheduleBench, ref: ScheduleRef): Promise<[string, string][]> {
  const runs = new Map((await bench.runs(ref)).map(({ id, trigger }) => [id, trigger]));
  const slots = await bench.slots(ref);
  expect(slots.filter(({ sessionId }) => sessionId !== null)).toHaveLength(runs.size);
  return slots.map(({ key, sessionId, skipReason }) => {
    const slot = key.replace(/^sched:/, '');
    if (sessionId === null) return [slot, skipReason ?? 'nothing'];
    const { attributes } = runs.get(sessionId) as { attributes: { fire_time: string; catch_up: boolean } };
    expect(attributes.fire_time).toBe(slot);
    return [slot, attributes.catch_up ? 'caught_up' : 'run'];
  });
}
