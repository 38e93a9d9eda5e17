import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createScheduleActivities } from '../../../src/activities/schedule.activities.js';
import type { ScheduleActivities } from '../../../src/activities/run-activities.js';
import type { FiringResult, ScheduleFirings, ScheduleRef } from '../../../src/core/triggers/schedule-firings.js';
import { listDueSchedules, listSchedules } from '../../../src/core/triggers/schedule-queries.js';
import { ScheduleBench } from '../../support/triggers/schedule-bench.js';

const HOURLY = { cron: '0 * * * *' };

describe('the steps that wake schedules', () => {
  let bench: ScheduleBench;
  const warnings: object[] = [];
  beforeAll(async () => {
    bench = await ScheduleBench.start('2026-11-23T12:30:00Z');
  });
  afterAll(() => bench.close());

  function activities(firings: Pick<ScheduleFirings, 'fire'>): ScheduleActivities {
    return createScheduleActivities({
      ...{ database: bench.api.db, firings, now: () => bench.now },
      driver: { reconcile: () => Promise.resolve(7) },
      log: { warn: (fields) => void warnings.push(fields) },
    });
  }

  /** Answers one result after the other, and when it was asked. */
  function scripted(...results: FiringResult[]): { fire: ScheduleFirings['fire']; asked: number[] } {
    const asked: number[] = [];
    const fire = (): Promise<FiringResult> => {
      asked.push(performance.now());
      return Promise.resolve(results[asked.length - 1] as FiringResult);
    };
    return { fire, asked };
  }

  const REF = { organizationId: 'of', subscriptionId: 'one' };

  it('proof 8: a wake-up that comes up to two seconds early waits for its slot', async () => {
    const firings = scripted({ outcome: 'idle', waitMs: 60 }, { outcome: 'fired', runId: 'run' });
    expect(await activities(firings).fireSchedule(REF)).toBe('fired');
    const [first = 0, second = 0] = firings.asked;
    expect(second - first).toBeGreaterThanOrEqual(59);
  });

  it.each([2001, null])('a wake-up with nothing due for %s ms ends quietly', async (waitMs) => {
    const firings = scripted({ outcome: 'idle', waitMs });
    expect(await activities(firings).fireSchedule(REF)).toBe('idle');
    expect(firings.asked).toHaveLength(1);
  });

  it('proof 8: a lost wake-up is made up for once it is five seconds late, unless the trigger is disabled', async () => {
    bench.at('2026-11-23T12:30:00Z');
    const lost = await bench.add(HOURLY);
    const disabled = await bench.add({ ...HOURLY, members: { enabled: false } });
    const later = await bench.add({ cron: '30 * * * *' });
    const steps = activities(bench.process());
    bench.at('2026-11-23T13:00:04.999Z');
    expect(await steps.reconcileSchedules()).toEqual({ late: 0, repaired: 7 });
    bench.at('2026-11-23T13:00:05Z');
    expect(await steps.reconcileSchedules()).toEqual({ late: 1, repaired: 7 });
    expect(await bench.runs(lost)).toHaveLength(1);
    for (const ref of [disabled, later]) expect(await bench.slots(ref)).toEqual([]);
    expect(await steps.reconcileSchedules()).toEqual({ late: 0, repaired: 7 });
  });

  it('one schedule that fails holds up no other', async () => {
    bench.at('2026-11-23T12:30:00Z');
    const [poison, sound] = [await bench.add(HOURLY), await bench.add(HOURLY)];
    const firings = bench.process();
    const fire = (ref: ScheduleRef): Promise<FiringResult> =>
      ref.subscriptionId === poison.subscriptionId ? Promise.reject(new Error('poison')) : firings.fire(ref);
    bench.at('2026-11-23T13:00:20Z');
    await activities({ fire }).reconcileSchedules();
    expect(warnings).toEqual([{ err: new Error('poison'), ...poison }]);
    expect(await bench.runs(sound)).toHaveLength(1);
  });

  it('are found over all organizations, the oldest slot first, and page by page', async () => {
    bench.at('2026-11-20T12:30:00Z');
    const pool = bench.api.db.pool;
    const [second, first] = [await bench.add(HOURLY), await bench.add({ cron: '45 * * * *' })];
    const due = await listDueSchedules(pool, new Date('2026-11-20T13:00:00Z'), 10);
    expect(due).toEqual([first, second]);
    expect(await listDueSchedules(pool, new Date('2026-11-20T13:00:00Z'), 1)).toEqual([first]);
    expect(await listDueSchedules(pool, new Date('2026-11-20T12:59:59Z'), 10)).toEqual([first]);
    const all = await listSchedules(pool, null, 1000);
    expect(all).toContainEqual({ ...first, cron: '45 * * * *', timezone: 'UTC', enabled: true });
    const paged = [
      ...(await listSchedules(pool, null, 2)),
      ...(await listSchedules(pool, all[1]?.subscriptionId ?? '', 1000)),
    ];
    expect(paged).toEqual(all);
  });
});
