import { condition, continueAsNew, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow';
import type { WebhookSteps } from '../activities/webhook.activities.js';
import { WEBHOOK_QUEUE, woken } from './messages.js';

/** What a receiver answers is a result; only a step that was lost is taken again. No organization waits behind all events of another. */
function delivering(orgId: string): WebhookSteps {
  return proxyActivities<WebhookSteps>({
    taskQueue: WEBHOOK_QUEUE,
    startToCloseTimeout: '1 minute',
    heartbeatTimeout: '4s',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    priority: { fairnessKey: orgId },
    summary: 'Bring an event to a webhook',
  });
}

/**
 * Brings one event to one webhook, at least once, or gives up after the last attempt. The row decides what is due: a wake-up, as for a
 * redelivery, only makes it look there, so one too many does no harm.
 */
export async function webhookDelivery(subject: { orgId: string; subjectId: string }): Promise<void> {
  const steps = delivering(subject.orgId);
  let isWoken = false;
  setHandler(woken, () => {
    isWoken = true;
  });
  for (;;) {
    isWoken = false;
    const waitMs = await steps.attemptDelivery(subject);
    // The signal of a redelivery may have come while the last attempt was made.
    if (waitMs === null && !isWoken) return;
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookDelivery>(subject);
    if (waitMs !== null && waitMs > 0) await condition(() => isWoken, waitMs);
  }
}
