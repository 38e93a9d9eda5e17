import { Webhook } from 'standardwebhooks';

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

/** `error` is a sentence of our own: what a receiver answers is neither read nor kept. */
export type WebhookOutcome = { delivered: true } | { delivered: false; error: string };

/**
 * One attempt, signed as Standard Webhooks says: `webhook-id`, `webhook-timestamp` and `webhook-signature` of version 1. Taken is
 * what is answered 2xx; redirects are not followed, and the body of the answer is not read.
 */
export async function sendWebhook(
  target: WebhookTarget,
  message: WebhookMessage,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const now = new Date();
  const timeout = AbortSignal.timeout(target.timeoutMs);
  try {
    const response = await fetch(target.url, {
      method: 'POST',
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'sandgate',
        'webhook-id': message.id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(target.secret).sign(message.id, now, message.body),
      },
    });
    await response.body?.cancel();
    return response.ok ? { delivered: true } : { delivered: false, error: `answered ${response.status}` };
  } catch (error) {
    // Stopped by us, which says nothing about the receiver.
    if (signal.aborted) throw error;
    return { delivered: false, error: timeout.aborted ? `no answer in ${target.timeoutMs} ms` : unreachable(error) };
  }
}

/** The system's code, never its sentence: that may hold the address. */
function unreachable(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  const code = typeof cause?.code === 'string' && /^[A-Z_]{2,40}$/.test(cause.code) ? cause.code : 'no connection';
  return `not reached (${code})`;
}
