import type { EventRuns } from '../core/ingress/event-runs.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { IngressEventActivities } from './run-activities.js';

/** Starts the runs that stored webhooks ask for. */
export function createIngressEventActivities(events: Pick<EventRuns, 'start'>): IngressEventActivities {
  return {
    startEventRuns: (webhook) => whileHeartbeating(async () => ({ waitMs: await events.start(webhook) })),
  };
}
