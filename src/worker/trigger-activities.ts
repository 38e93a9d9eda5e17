import { createIngressEventActivities } from '../activities/ingress-event.activities.js';
import type { IngressEventActivities, ScheduleActivities } from '../activities/run-activities.js';
import { createScheduleActivities } from '../activities/schedule.activities.js';
import { createScheduleDriver } from '../core/driver/connect-driver.js';
import { EventRuns } from '../core/ingress/event-runs.js';
import { ScheduleFirings } from '../core/triggers/schedule-firings.js';
import { cloneBaseOf } from '../platform/config/codehost.config.js';
import type { SandgateConfig } from '../platform/config/index.js';
import { DRIVEN_WORKFLOWS } from '../workflows/messages.js';
import type { WorkerParts } from './worker-parts.js';

export type TriggerActivities = ScheduleActivities & IngressEventActivities;

/** What starts the runs of subscriptions in a worker process, at a time and at an event. */
export function triggerActivities(
  config: Pick<SandgateConfig, 'codehost'>,
  { database, client, subscriptionRuns: runs, log }: WorkerParts,
): TriggerActivities {
  const now = (): Date => new Date();
  const firings = new ScheduleFirings({ database, runs, now });
  const driver = createScheduleDriver(database, client, DRIVEN_WORKFLOWS, log);
  const cloneBase = cloneBaseOf(config.codehost);
  const events = new EventRuns({ database, runs, cloneBase, now: Date.now, log });
  return {
    ...createScheduleActivities({ database, firings, driver, now, log }),
    ...createIngressEventActivities(events),
  };
}
