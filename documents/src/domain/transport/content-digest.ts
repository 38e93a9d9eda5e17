import { DocsvcError } from '../errors.js';

const MEMBER = /^\s*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/=]*):\s*$/;
const SHA256_BYTES = 32;

/**
 * The SHA-256 that a `Content-Digest` header states (RFC 9530). Digests of other algorithms are left aside.
 *
 * @returns null where none is stated
 * @throws DocsvcError `invalid_request` for a header that cannot be read
 */
export function readContentDigest(header: string | undefined): Buffer | null {
  if (header === undefined || header.trim() === '') return null;
  let stated: Buffer | null = null;
  for (const member of header.split(',')) {
    const [, algorithm, base64] = MEMBER.exec(member) ?? [];
    if (algorithm === undefined || base64 === undefined) throw refusal('is not of the form sha-256=:<base64>:');
    if (algorithm !== 'sha-256') continue;
    stated = Buffer.from(base64, 'base64');
    if (stated.length !== SHA256_BYTES) throw refusal('states a sha-256 that does not have 32 bytes');
  }
  return stated;
}

/** A digest as the header states it. */
export function writeContentDigest(sha256: Buffer): string {
  return `sha-256=:${sha256.toString('base64')}:`;
}

function refusal(what: string): DocsvcError {
  return new DocsvcError('invalid_request', `Content-Digest ${what}`, {
    details: [{ path: 'Content-Digest', code: 'invalid_digest', message: `Content-Digest ${what}` }],
  });
}
