import { proxyActivities } from '@temporalio/workflow';
import type { RelayActivities } from '../activities/run-activities.js';

const { relayOutbox } = proxyActivities<RelayActivities>({
  startToCloseTimeout: '365d',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
  summary: 'Re-send wake-ups that were committed and not delivered',
});

/** One per deployment: keeps the outbox empty for as long as the deployment lives (docs/design/workflows.md). */
export async function relay(): Promise<void> {
  await relayOutbox();
}
