import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The deployment's admin token. Only its digest is kept: comparing two digests of equal length in constant time says nothing
 * about the token's length or its first differing character (docs/design/identity.md).
 */
export class AdminToken {
  readonly #digest: Buffer;

  constructor(token: string) {
    if (token === '') throw new Error('the admin token is empty');
    this.#digest = sha256(token);
  }

  matches(candidate: string): boolean {
    return timingSafeEqual(this.#digest, sha256(candidate));
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
