import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** One request of a webhook: what is signed. */
export interface WebhookMessage {
  /** The same for every attempt; receivers deduplicate on it. */
  id: string;
  /** Exactly what is sent. */
  body: string;
  at: Date;
}

/**
 * The headers of Standard Webhooks, version 1.
 *
 * @param secret `whsec_` and base64, as the receiver has it
 */
export function standardHeaders(secret: string, { id, body, at }: WebhookMessage): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds(at)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** The callback secret of a trigger in the form that libraries of Standard Webhooks take: the same key, its UTF-8 bytes in base64. */
export function standardSecret(callbackSecret: string): string {
  return `whsec_${Buffer.from(callbackSecret, 'utf8').toString('base64')}`;
}

/** The headers of a result's callback: two signatures of the same bytes, so that a receiver verifies with either. */
export function callbackHeaders(callbackSecret: string, message: WebhookMessage): Record<string, string> {
  const timestamp = unixSeconds(message.at);
  return {
    'x-service-event': 'run.finished',
    'x-service-delivery': message.id,
    'x-service-timestamp': String(timestamp),
    'x-service-signature': callbackSignature(callbackSecret, timestamp, message.body),
    ...standardHeaders(standardSecret(callbackSecret), message),
  };
}

/** `v1=` and the HMAC-SHA256 of timestamp, a dot and the body, keyed by the secret as it is written. */
export function callbackSignature(callbackSecret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', callbackSecret).update(`${timestamp}.${body}`).digest('hex')}`;
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
