import { attemptDelivery, type DeliveryPlace } from '../core/webhooks/attempt-delivery.js';
import { whileHeartbeating } from '../../../src/platform/temporal/heartbeats.js';

export interface WebhookSteps {
  /** @returns milliseconds until the next attempt; null when none is to come */
  attemptDelivery(subject: { orgId: string; subjectId: string }): Promise<number | null>;
}

/** Steps of deliveries. */
export function createWebhookActivities(place: DeliveryPlace): WebhookSteps {
  return {
    attemptDelivery: ({ orgId, subjectId }) =>
      whileHeartbeating((signal) => attemptDelivery(place, { orgId, deliveryId: subjectId }, signal)),
  };
}
