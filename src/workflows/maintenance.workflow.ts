import { ActivityFailure, isCancellation, patched, proxyActivities } from '@temporalio/workflow';
import type {
  HostMaintenanceActivities,
  MaintenanceActivities,
  ScheduleActivities,
} from '../activities/run-activities.js';
import { hostQueue } from './messages.js';

const { startMissingRuns, recountCapacity, expireRecords, listHosts } = proxyActivities<MaintenanceActivities>({
  startToCloseTimeout: '60s',
  retry: { maximumAttempts: 3 },
});

const { reconcileSchedules } = proxyActivities<ScheduleActivities>({
  startToCloseTimeout: '120s',
  retry: { maximumAttempts: 2 },
  summary: 'Put right what wakes schedules',
});

/**
 * One round of the schedule: starts missing workflows, makes up for wake-ups of schedules that were lost, heals counters, expires
 * records, reaps orphans on every live host. A step that fails keeps no other from its turn; the round fails with it when all are through.
 */
export async function maintenance(): Promise<void> {
  const failures: ActivityFailure[] = [];
  const take = async (step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (failure) {
      if (!(failure instanceof ActivityFailure) || isCancellation(failure)) throw failure;
      failures.push(failure);
    }
  };
  await take(startMissingRuns);
  if (patched('schedules')) await take(reconcileSchedules);
  await take(recountCapacity);
  await take(expireRecords);
  await take(async () => {
    for (const hostId of await listHosts()) await reap(hostId);
  });
  const [first] = failures;
  if (first !== undefined) throw first;
}

async function reap(hostId: string): Promise<void> {
  const { reapOrphans } = proxyActivities<HostMaintenanceActivities>({
    taskQueue: hostQueue(hostId),
    scheduleToStartTimeout: '20s',
    startToCloseTimeout: '120s',
    retry: { maximumAttempts: 2 },
    summary: 'Reap sandboxes whose run is over',
  });
  try {
    await reapOrphans();
  } catch (failure) {
    // A host that is away reaps at its next boot; the round goes on with the others.
    if (!(failure instanceof ActivityFailure)) throw failure;
  }
}
