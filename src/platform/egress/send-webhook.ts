import { EgressError } from './egress-error.js';
import type { GuardedClient } from './guarded-client.js';

/** One attempt at a webhook: the receiver, and exactly what it is sent. */
export interface WebhookRequest {
  url: string;
  /** The signatures of the body among them. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** For everything together, the connection included. */
  timeoutMs: number;
}

/** `error` is our own sentence; the response body is neither read nor kept. */
export type WebhookOutcome = { delivered: true } | { delivered: false; error: string };

/**
 * One attempt. An answer of 2xx counts as taken, whatever comes with it; redirects are not followed, and the body of the answer is
 * not read.
 */
export async function sendWebhook(
  client: Pick<GuardedClient, 'request'>,
  { headers, ...request }: WebhookRequest,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  try {
    const { status } = await client.request({
      ...request,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      redirects: 'refuse',
      maxBodyBytes: 'unread',
      signal,
    });
    return status >= 200 && status < 300 ? { delivered: true } : { delivered: false, error: `answered ${status}` };
  } catch (error) {
    // We stopped it; this says nothing about the receiver.
    if (signal.aborted || !(error instanceof EgressError)) throw error;
    return { delivered: false, error: describe(error, request.timeoutMs) };
  }
}

/** Our own words and the system's error code, never its message: that may contain the address. */
function describe(error: EgressError, timeoutMs: number): string {
  if (error.reason === 'timeout') return `no answer in ${timeoutMs} ms`;
  if (error.reason === 'redirect') return 'answered with a redirect, which is not followed';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return `not reached (${typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : error.message})`;
}
