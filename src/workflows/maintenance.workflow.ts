import {
  ActivityFailure,
  TemporalFailure,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type {
  HostMaintenanceActivities,
  MaintenanceActivities,
  ScheduleActivities,
} from '../activities/run-activities.js';
import { hostQueue } from './messages.js';

const OF_RECORDS = { startToCloseTimeout: '60s', retry: { maximumAttempts: 3 } } as const;
const OF_SCHEDULES = { startToCloseTimeout: '120s', retry: { maximumAttempts: 2 } } as const;

/** Taken where the workflow is: to have each step offered by the server costs more than most of them do. */
const LOCAL = {
  records: proxyLocalActivities<MaintenanceActivities>(OF_RECORDS),
  schedules: proxyLocalActivities<ScheduleActivities>(OF_SCHEDULES),
};

/** For rounds that an earlier build began. */
const OFFERED = {
  records: proxyActivities<MaintenanceActivities>(OF_RECORDS),
  schedules: proxyActivities<ScheduleActivities>({ ...OF_SCHEDULES, summary: 'Put right what wakes schedules' }),
};

/**
 * One round of the schedule: starts missing workflows, makes up for wake-ups of schedules that were lost, heals counters, expires
 * records, reaps orphans on every live host. A step that fails keeps no other from its turn; the round fails with it when all are through.
 */
export async function maintenance(): Promise<void> {
  const failures: TemporalFailure[] = [];
  const take = async (step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (failure) {
      // What a local step throws is its own failure, not one of an activity.
      if (!(failure instanceof TemporalFailure) || isCancellation(failure)) throw failure;
      failures.push(failure);
    }
  };
  const isLocal = patched('local-steps');
  const { records, schedules } = isLocal ? LOCAL : OFFERED;
  await take(records.startMissingRuns);
  if (isLocal || patched('schedules')) await take(schedules.reconcileSchedules);
  await take(records.recountCapacity);
  await take(records.expireRecords);
  await take(async () => {
    for (const hostId of await records.listHosts()) await reap(hostId);
  });
  const [first] = failures;
  if (first !== undefined) throw first;
}

async function reap(hostId: string): Promise<void> {
  const { reapOrphans } = proxyActivities<HostMaintenanceActivities>({
    taskQueue: hostQueue(hostId),
    scheduleToStartTimeout: '20s',
    startToCloseTimeout: '120s',
    // No other round begins meanwhile, so a worker that died must not be waited for.
    heartbeatTimeout: '10s',
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
