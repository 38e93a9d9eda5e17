import { proxyActivities } from '@temporalio/workflow';
import type { ScheduleActivities, ScheduleWakeUp } from '../activities/run-activities.js';

const { fireSchedule } = proxyActivities<ScheduleActivities>({
  startToCloseTimeout: '60s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 8 },
  summary: 'Do what is due of this schedule',
});

/** One wake-up of a schedule. Its row says whether anything is due; what is given up here, maintenance finds (docs/design/schedules.md). */
export async function scheduledInvocation(schedule: ScheduleWakeUp): Promise<string> {
  return fireSchedule(schedule);
}
