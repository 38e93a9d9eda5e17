import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const TOKEN_PREFIX = 'docsvc_at_';
const CLIENT_SECRET_PREFIX = 'docsvc_cs_';
const CLIENT_ID_PREFIX = 'docsvc_client_';
const CLIENT_ID_BYTES = 12;

/** A secret of which only the digest is stored: it is shown once. */
export interface NewSecret {
  text: string;
  hash: Buffer;
}

export function newAccessToken(): NewSecret {
  return newSecret(TOKEN_PREFIX);
}

export function newClientSecret(): NewSecret {
  return newSecret(CLIENT_SECRET_PREFIX);
}

/** The public name of a client. */
export function newClientId(): string {
  return CLIENT_ID_PREFIX + randomBytes(CLIENT_ID_BYTES).toString('hex');
}

/** Secrets of ours are 256 random bits, so a plain digest cannot be searched through. */
export function hashSecret(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Whether a secret is one of those, in the same time whichever it is. */
export function isOneOf(text: string, hashes: readonly Buffer[]): boolean {
  const hash = hashSecret(text);
  // No early end: how long it takes must not tell which of two secrets came close.
  return hashes.reduce((found, known) => timingSafeEqual(hash, known) || found, false);
}

function newSecret(prefix: string): NewSecret {
  const text = prefix + randomBytes(SECRET_BYTES).toString('base64url');
  return { text, hash: hashSecret(text) };
}
