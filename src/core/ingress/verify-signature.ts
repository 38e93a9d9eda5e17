import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^sha256=([0-9a-f]{64})$/i;

/**
 * Whether the code host signed these very bytes (CP-278): `X-Hub-Signature-256` is `sha256=` and the HMAC-SHA256 of the body with the
 * shared secret. Compared in constant time.
 */
export function isSignedBy(secret: string, body: Uint8Array, signature: unknown): boolean {
  const given = typeof signature === 'string' ? SIGNATURE.exec(signature)?.[1] : undefined;
  if (given === undefined || secret === '') return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(given, 'hex'));
}
