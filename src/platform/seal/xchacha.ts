import { randomBytes } from 'node:crypto';
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';

export const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;

/** nonce ‖ ciphertext ‖ tag with XChaCha20-Poly1305 and a fresh random nonce. */
export function encrypt(key: Uint8Array, plain: Uint8Array, associated?: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  return Buffer.concat([nonce, xchacha20poly1305(key, nonce, associated).encrypt(plain)]);
}

/** Throws when the bytes, the key or the associated data are not those of `encrypt`. */
export function decrypt(key: Uint8Array, sealed: Uint8Array, associated?: Uint8Array): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new RangeError('the sealed value is too short');
  const nonce = sealed.subarray(0, NONCE_BYTES);
  return Buffer.from(xchacha20poly1305(key, nonce, associated).decrypt(sealed.subarray(NONCE_BYTES)));
}
