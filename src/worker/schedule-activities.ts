import type { ScheduleActivities } from '../activities/run-activities.js';
import { createScheduleActivities } from '../activities/schedule.activities.js';
import { createScheduleDriver } from '../core/driver/connect-driver.js';
import { ScheduleFirings } from '../core/triggers/schedule-firings.js';
import { DRIVEN_WORKFLOWS } from '../workflows/messages.js';
import type { WorkerParts } from './worker-parts.js';

/**
 * The clocks of triggers, as a worker drives them.
 *
 * @param replacePauseMs between two tries to stop the runs that a new one replaces
 */
export function scheduleActivities(
  { database, client, subscriptionRuns: runs, log }: WorkerParts,
  replacePauseMs: number,
): ScheduleActivities {
  const now = (): Date => new Date();
  const firings = new ScheduleFirings({ database, runs, now, replacePauseMs });
  const driver = createScheduleDriver(database, client, DRIVEN_WORKFLOWS, log);
  return createScheduleActivities({ database, firings, driver, now, log });
}
