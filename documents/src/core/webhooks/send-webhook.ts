import { redactText } from '../../../../src/domain/redaction/redact-text.js';
import { EgressError } from '../../../../src/platform/egress/egress-error.js';
import type { GuardedClient } from '../../../../src/platform/egress/guarded-client.js';
import type { GuardedResponse } from '../../../../src/platform/egress/guarded-request.js';

/** For everything together, the connection and the answer included. */
const ANSWER_WITHIN_MS = 15_000;
const MAX_SNIPPET_BYTES = 1024;
/** Read of an answer before it is redacted and cut: a secret at the end of the snippet is seen whole. */
const READ_BYTES = 4096;

/** What a receiver made of a request. */
export interface SendOutcome {
  statusCode: number | null;
  /** Our own sentence about a failure; null after a success. */
  error: string | null;
  snippet: string | null;
  retryAfterSeconds: number | null;
}

/**
 * One attempt. An answer of 2xx counts as taken, whatever comes with it; redirects are not followed. The guard decides which addresses may
 * be reached.
 */
export async function sendWebhook(
  client: Pick<GuardedClient, 'request'>,
  { url, headers, body }: { url: string; headers: Readonly<Record<string, string>>; body: string },
  signal?: AbortSignal,
): Promise<SendOutcome> {
  try {
    const answer = await client.request({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'docsvc', ...headers },
      body,
      redirects: 'refuse',
      timeoutMs: ANSWER_WITHIN_MS,
      // Its beginning is read, and the rest is left.
      maxBodyBytes: Number.MAX_SAFE_INTEGER,
      ...(signal === undefined ? {} : { signal }),
    });
    const { status } = answer;
    const snippet = await readSnippet(answer);
    const isTaken = status >= 200 && status < 300;
    const retryAfterSeconds = readRetryAfter(answer.headers.get('retry-after'), new Date());
    return { statusCode: status, error: isTaken ? null : `answered ${status}`, snippet, retryAfterSeconds };
  } catch (error) {
    // We stopped it; this says nothing about the receiver.
    if (signal?.aborted === true || !(error instanceof EgressError)) throw error;
    return { statusCode: null, error: describe(error), snippet: null, retryAfterSeconds: null };
  }
}

/** An answer that breaks off has its status all the same. */
async function readSnippet(answer: GuardedResponse): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= READ_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
  }
  answer.discard();
  const text = redactText(
    Buffer.concat(chunks).subarray(0, READ_BYTES).toString('utf8').replaceAll('\u0000', '\u{fffd}'),
  );
  return text === '' ? null : cut(text, MAX_SNIPPET_BYTES);
}

/** Cuts at a whole character. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  let end = bytes;
  while (((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return whole.subarray(0, end).toString('utf8');
}

/** Seconds, or a date of HTTP (RFC 9110, 10.2.3). */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now.getTime()) / 1000));
}

/** Our own words and the system's error code, never its message: that may contain the address. */
function describe(error: EgressError): string {
  if (error.reason === 'timeout') return `no answer within ${ANSWER_WITHIN_MS / 1000} s`;
  if (error.reason === 'redirect') return 'answered with a redirect, which is not followed';
  const { code } = (error.cause ?? {}) as { code?: unknown };
  return `not reached (${typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code) ? code : error.message})`;
}
