import { continueAsNew, proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { IngressEventActivities, StoredWebhookRef } from '../activities/run-activities.js';
import { isHistoryLong } from './long-history.js';

const { startEventRuns } = proxyActivities<IngressEventActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '20s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  summary: 'Start the runs that the event asks for',
});

/** Maps one stored webhook to runs, and waits out what keeps them from starting (docs/design/ingress.md). */
export async function ingressEvent(webhook: StoredWebhookRef): Promise<void> {
  for (;;) {
    setCurrentDetails('Starts the runs that the event asks for.');
    const { waitMs } = await startEventRuns(webhook);
    if (waitMs === null) return;
    if (waitMs > 0) {
      setCurrentDetails('Not every run could be started, mostly because the queue is full; tries again.');
      await sleep(waitMs);
    }
    if (isHistoryLong()) await continueAsNew<typeof ingressEvent>(webhook);
  }
}
