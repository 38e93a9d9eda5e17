import { proxyActivities, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { ResultDeliveryActivities } from '../activities/run-activities.js';
import type { DeliveryWay } from '../domain/deliveries/delivery-way.js';

/**
 * What a destination answers is a result; only a step that was lost is taken again, under the number of its attempt. Publishing
 * makes up to 13 requests of 15 s each.
 */
const { attemptDelivery } = proxyActivities<ResultDeliveryActivities>({
  startToCloseTimeout: '6 minutes',
  heartbeatTimeout: '10s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  summary: 'Bring the result of a run to one destination',
});

/** Brings the result of a run to one destination, at least once, or gives up after the last attempt (docs/design/deliveries.md). */
export async function resultDelivery(delivery: DeliveryWay): Promise<void> {
  for (let attempt = 1; ;) {
    setCurrentDetails(`Makes attempt ${attempt}.`);
    const made = await attemptDelivery(delivery, attempt, Math.random());
    if (made.waitMs === null) return;
    setCurrentDetails(`Attempt ${made.attempt} failed; waits before the next one.`);
    await sleep(made.waitMs);
    attempt = made.attempt + 1;
  }
}
