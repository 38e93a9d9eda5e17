import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const VERSION = 'v1';
/** How far the clocks of both sides may be apart. */
export const MAX_SKEW_SECONDS = 300;

/** What a webhook request carries of the Standard Webhooks. */
export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

export function newWebhookSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * The headers of one attempt (DI-023): the id is the same in every attempt of an event, the time is that of the attempt.
 *
 * @param secrets of the webhook, the newest first; while one replaces another, both sign
 */
export function signWebhook(secrets: readonly string[], id: string, at: Date, body: string): SignedHeaders {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => `${VERSION},${macOf(secret, id, timestamp, body).toString('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Why a receiver refuses a request. */
export type WebhookRefusal = 'headers_missing' | 'timestamp_skewed' | 'signature_wrong' | 'id_repeated';

/**
 * What a receiver does with a request, as an example: checks the time, the signature over the raw body, and that the id is new.
 *
 * @param seen ids that were accepted before; an accepted one is added. Keep them for as long as the skew allows, in a place that all
 *   processes of the receiver share
 * @returns null for a request that is good
 */
export function refuseWebhook(
  secret: string,
  headers: Partial<SignedHeaders>,
  body: string,
  { now, seen }: { now: Date; seen: Set<string> },
): WebhookRefusal | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return 'headers_missing';
  if (!/^\d{1,15}$/.test(timestamp)) return 'timestamp_skewed';
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > MAX_SKEW_SECONDS) return 'timestamp_skewed';
  const expected = macOf(secret, id, timestamp, body);
  if (!signatures.split(' ').some((signature) => isSignature(signature, expected))) return 'signature_wrong';
  if (seen.has(id)) return 'id_repeated';
  seen.add(id);
  return null;
}

function isSignature(signature: string, expected: Buffer): boolean {
  const [version, value = ''] = signature.split(',');
  const given = Buffer.from(value, 'base64');
  return version === VERSION && given.length === expected.length && timingSafeEqual(given, expected);
}

function macOf(secret: string, id: string, timestamp: string, body: string): Buffer {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
}
