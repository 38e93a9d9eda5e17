import { proxyActivities } from '@temporalio/workflow';
import type { RelaySteps } from '../activities/relay.activities.js';

const { relayOutbox } = proxyActivities<RelaySteps>({
  startToCloseTimeout: '365d',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 1 },
  summary: 'Send again wake-ups that were committed and not delivered',
});

/** One per deployment: keeps the outbox empty for as long as the deployment lives. */
export async function relay(): Promise<void> {
  await relayOutbox();
}
