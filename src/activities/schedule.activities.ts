import { setTimeout as delay } from 'node:timers/promises';
import type { ScheduleDriver } from '../core/driver/schedule-driver.js';
import type { Database } from '../core/record/database.js';
import type { ScheduleFirings, ScheduleRef } from '../core/triggers/schedule-firings.js';
import { listDueSchedules } from '../core/triggers/schedule-queries.js';
import type { ScheduleActivities } from './run-activities.js';

export interface ScheduleDependencies {
  database: Database;
  firings: Pick<ScheduleFirings, 'fire'>;
  driver: Pick<ScheduleDriver, 'reconcile'>;
  now: () => Date;
  log: Record<'warn', (fields: Record<string, unknown>, message: string) => void>;
}

/** A wake-up may come so early: the clocks of two machines differ. */
const EARLY_MS = 2000;
/** Temporal has had its chance by then, and the firing is not yet missed. */
const LATE_MS = 5000;
const LATE_PER_ROUND = 500;

/** What wakes schedules, and what makes up for a wake-up that was lost. */
export function createScheduleActivities(on: ScheduleDependencies): ScheduleActivities {
  return {
    fireSchedule: (schedule) => fireWhenDue(on, schedule),
    reconcileSchedules: async () => {
      const late = await fireLate(on);
      return { late, repaired: await on.driver.reconcile() };
    },
  };
}

async function fireWhenDue({ firings }: ScheduleDependencies, schedule: ScheduleRef): Promise<string> {
  for (;;) {
    const result = await firings.fire(schedule);
    if (result.outcome !== 'idle' || result.waitMs === null || result.waitMs > EARLY_MS) return result.outcome;
    await delay(result.waitMs);
  }
}

/** One that fails holds up no other; the next round finds it again. */
async function fireLate({ database, firings, now, log }: ScheduleDependencies): Promise<number> {
  const until = new Date(now().getTime() - LATE_MS);
  const late = await listDueSchedules(database.pool, until, LATE_PER_ROUND);
  for (const schedule of late)
    await firings
      .fire(schedule)
      .catch((cause: unknown) =>
        log.warn({ err: cause, ...schedule }, 'a late schedule could not be fired; trying again'),
      );
  return late.length;
}
