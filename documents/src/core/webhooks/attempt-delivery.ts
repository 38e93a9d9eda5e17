import type { GuardedClient } from '../../../../src/platform/egress/guarded-client.js';
import { TEST_EVENT } from '../../domain/webhooks/event-types.js';
import { waitAfter, type RetryPolicy } from '../../domain/webhooks/retry-policy.js';
import { signWebhook } from '../../domain/webhooks/webhook-signature.js';
import { recordSystemAudit } from '../audit/record-audit.js';
import type { Record as DocsvcRecord } from '../record/record.js';
import {
  cancelDelivery,
  postponeDelivery,
  readDelivery,
  recordAttempt,
  type OpenDelivery,
} from './delivery-records.js';
import type { DeliveryTurns } from './delivery-turns.js';
import { eventBody } from './event-body.js';
import { sendWebhook, type SendOutcome } from './send-webhook.js';
import type { WebhookSecrets } from './webhook-secrets.js';

/** With what deliveries are made. */
export interface DeliveryPlace {
  record: DocsvcRecord;
  secrets: WebhookSecrets;
  client: Pick<GuardedClient, 'request'>;
  publicUrl: string;
  turns: Pick<DeliveryTurns, 'take'>;
}

const GONE = 410;
const ONCE: RetryPolicy = { strategy: 'fixed', maxAttempts: 1 };

/**
 * Makes the attempt that is due, if one is: reads the delivery, sends, and puts what came of it on the record. Whoever repeats it after a
 * crash sends the same request once more, and the record has one attempt.
 *
 * @returns milliseconds until the next attempt; null when none is to come
 */
export async function attemptDelivery(
  place: DeliveryPlace,
  { orgId, deliveryId }: { orgId: string; deliveryId: string },
  signal?: AbortSignal,
): Promise<number | null> {
  const { record } = place;
  const delivery = await record.inOrganization(orgId, (tx) => readDelivery(tx, deliveryId));
  if (delivery === null || !isOpen(delivery)) return null;
  const isTest = delivery.eventType === TEST_EVENT;
  if (!delivery.enabled && !isTest) {
    await record.inOrganization(orgId, (tx) => cancelDelivery(tx, deliveryId));
    return null;
  }
  if (delivery.waitMs > 0) return delivery.waitMs;
  const giveBack = place.turns.take({ orgId, webhookId: delivery.webhookId });
  if (giveBack === null) return record.inOrganization(orgId, (tx) => postponeDelivery(tx, deliveryId));
  try {
    return await attempt(place, { orgId, deliveryId }, delivery, signal);
  } finally {
    giveBack();
  }
}

/** Sends once, and records it. */
async function attempt(
  place: DeliveryPlace,
  { orgId, deliveryId }: { orgId: string; deliveryId: string },
  delivery: OpenDelivery,
  signal?: AbortSignal,
): Promise<number | null> {
  const { record } = place;
  const isTest = delivery.eventType === TEST_EVENT;
  const at = new Date();
  const outcome = await send(place, orgId, delivery, at, signal);
  const succeeded = outcome.error === null;
  const policy = isTest ? ONCE : delivery.retry;
  const waitMs = waitAfter(policy, delivery.roundAttempts + 1, Math.random(), outcome.retryAfterSeconds);
  const gone = outcome.statusCode === GONE;
  const attempted = {
    number: delivery.attempts + 1,
    at,
    statusCode: outcome.statusCode,
    durationMs: Date.now() - at.getTime(),
    error: outcome.error,
    snippet: outcome.snippet,
    succeeded,
    waitMs: succeeded ? null : waitMs,
    gone,
  };
  const recorded = await record.inOrganization(orgId, async (tx) => {
    const made = await recordAttempt(tx, deliveryId, attempted);
    if (made.disabled) {
      const detail = { reason: gone ? 'gone' : 'failing', deliveryId };
      const { webhookId: subjectId, projectId } = delivery;
      await recordSystemAudit(tx, 'webhooks', {
        action: 'webhook.disabled',
        subjectKind: 'webhook',
        ...{ subjectId, projectId, detail },
      });
    }
    return made.recorded;
  });
  // Somebody else made this attempt too; what they recorded decides, and the next look tells.
  if (!recorded) return 0;
  return succeeded || gone ? null : waitMs;
}

function isOpen({ status }: OpenDelivery): boolean {
  return status === 'pending' || status === 'retrying';
}

function send(
  { secrets, client, publicUrl }: DeliveryPlace,
  orgId: string,
  delivery: OpenDelivery,
  at: Date,
  signal?: AbortSignal,
): Promise<SendOutcome> {
  const body = eventBody(orgId, publicUrl, delivery);
  const { webhookId, sealedSecret, sealedPreviousSecret } = delivery;
  const signing = secrets.signing({ orgId, webhookId }, sealedSecret, sealedPreviousSecret);
  const headers = { ...signWebhook(signing, delivery.eventId, at, body) };
  return sendWebhook(client, { url: delivery.url, headers, body }, signal);
}
