import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { DocsvcError } from '../errors.js';
import { readContentDigest, writeContentDigest } from './content-digest.js';

const sha256 = createHash('sha256').update('part').digest();

describe('Content-Digest', () => {
  it('DI-006 states the SHA-256 of a part, beside digests that we do not know', () => {
    expect(readContentDigest(writeContentDigest(sha256))).toEqual(sha256);
    expect(readContentDigest(`unixsum=:Ag==:, ${writeContentDigest(sha256)}`)).toEqual(sha256);
    expect(readContentDigest('sha-512=:Ag==:')).toBeNull();
    expect(readContentDigest(undefined)).toBeNull();
  });

  it.each(['sha-256', 'sha-256=abc', 'sha-256=:Ag==:', 'sha-256=:***:'])('is refused as %p', (header) => {
    expect(() => readContentDigest(header)).toThrow(DocsvcError);
  });
});
