import { Webhook } from 'standardwebhooks';
import { EgressError } from '../../platform/egress/egress-error.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';

export interface WebhookTarget {
  url: string;
  /** `whsec_…` */
  secret: string;
  timeoutMs: number;
}

export interface WebhookMessage {
  /** The same for every attempt; receivers deduplicate on it. */
  id: string;
  body: string;
}

/** `error` is our own sentence; the response body is neither read nor kept. */
export type WebhookOutcome = { delivered: true } | { delivered: false; error: string };

/** The response body is not read; at most this much of it may arrive before the connection is closed. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * One attempt, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp` and `webhook-signature` of version 1. An answer
 * of 2xx counts as taken; redirects are not followed, and the body of the answer is not read.
 */
export async function sendWebhook(
  client: GuardedClient,
  target: WebhookTarget,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const now = new Date();
  try {
    const answer = await client.request({
      method: 'POST',
      url: target.url,
      body: message.body,
      redirects: 'refuse',
      signal,
      timeoutMs: target.timeoutMs,
      maxBodyBytes: MAX_ANSWER_BYTES,
      headers: {
        'content-type': 'application/json',
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(target.secret).sign(message.id, now, message.body),
      },
    });
    answer.discard();
    const taken = answer.status >= 200 && answer.status < 300;
    return taken ? { delivered: true } : { delivered: false, error: `answered ${answer.status}` };
  } catch (error) {
    // We stopped it; this says nothing about the receiver.
    if (signal.aborted || !(error instanceof EgressError)) throw error;
    return { delivered: false, error: describe(error, target.timeoutMs) };
  }
}

/** Our own words and the system's error code, never its message: that may contain the address. */
function describe(error: EgressError, timeoutMs: number): string {
  if (error.reason === 'timeout') return `no answer in ${timeoutMs} ms`;
  if (error.reason === 'redirect') return 'answered with a redirect, which is not followed';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return `not reached (${typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : error.message})`;
}
