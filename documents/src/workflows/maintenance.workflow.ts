import { proxyActivities } from '@temporalio/workflow';
import type { MaintenanceSteps } from '../activities/maintenance.activities.js';

const duties = proxyActivities<MaintenanceSteps>({
  startToCloseTimeout: '1 hour',
  // No other round begins meanwhile, so a worker that died must not be waited for.
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', maximumAttempts: 3 },
});
/** Rounds that go through many blobs. */
const sweeps = proxyActivities<MaintenanceSteps>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '30s',
  retry: { initialInterval: '1s', maximumAttempts: 3 },
});

/** Wakes the workflows of versions that nobody reads. */
export async function wakeMissing(): Promise<void> {
  await duties.wakeMissing();
}

/** Ends uploads that nobody goes on with, and frees what belongs to nobody. */
export async function reapUploads(): Promise<void> {
  await sweeps.reapUploads();
}

/** Counts anew what quotas count. */
export async function reconcileQuotas(): Promise<void> {
  await duties.reconcileQuotas();
}

/** Deletes what projects keep no longer, and purges what was deleted thirty days ago. */
export async function sweepRetention(): Promise<void> {
  await sweeps.sweepRetention();
}
