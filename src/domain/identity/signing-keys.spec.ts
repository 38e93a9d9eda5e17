import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../json.js';
import { chooseKey, isSigningAlgorithm, readKeySet, SIGNING_ALGORITHMS } from './signing-keys.js';

const RSA: JsonObject = { kty: 'RSA', n: 'n', e: 'AQAB' };
const EC: JsonObject = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };

describe('keys of a provider', () => {
  it('CP-280 symmetric algorithms, none, and other spellings are no algorithms', () => {
    for (const name of ['none', 'HS256', 'HS512', 'rs256', 'RS1', 'EdDSA', 'ES256K', '', null, undefined])
      expect(isSigningAlgorithm(name)).toBe(false);
    expect(SIGNING_ALGORITHMS.every(isSigningAlgorithm)).toBe(true);
  });

  it.each<[string, JsonValue, number | null]>([
    ['two keys', { keys: [RSA, EC] }, 2],
    ['malformed ones among them', { keys: [null, 1, 'x', [], {}, { kty: 'RSA', kid: 1 }, RSA] }, 1],
    ['a symmetric one', { keys: [{ kty: 'oct', k: 'secret' }, RSA] }, 1],
    ['a private one', { keys: [{ ...RSA, d: 'private' }] }, 0],
    ['one for encryption', { keys: [{ ...RSA, use: 'enc' }] }, 0],
    ['32 keys', { keys: Array.from({ length: 32 }, () => RSA) }, 32],
    ['33 keys', { keys: Array.from({ length: 33 }, () => RSA) }, null],
    ['no list', { keys: RSA }, null],
    ['a list alone', [RSA], null],
    ['nothing', null, null],
  ])('CP-280 a set of %s', (_, document, usable) => {
    expect(readKeySet(document)?.length ?? null).toBe(usable);
  });

  it.each<
    [
      string,
      JsonObject[],
      { alg: 'RS256' | 'PS256' | 'ES256' | 'ES384'; kid: string | null },
      number | 'none' | 'several',
    ]
  >([
    [
      'the one with the id',
      [
        { ...RSA, kid: 'a' },
        { ...RSA, kid: 'b' },
      ],
      { alg: 'RS256', kid: 'b' },
      1,
    ],
    ['none with the id', [{ ...RSA, kid: 'a' }], { alg: 'RS256', kid: 'A' }, 'none'],
    ['none without an id where one is asked for', [RSA], { alg: 'RS256', kid: 'a' }, 'none'],
    [
      'several with the id',
      [
        { ...RSA, kid: 'a' },
        { ...RSA, kid: 'a' },
      ],
      { alg: 'RS256', kid: 'a' },
      'several',
    ],
    [
      'of several with the id the one that fits',
      [
        { ...RSA, kid: 'a' },
        { ...EC, kid: 'a' },
      ],
      { alg: 'ES256', kid: 'a' },
      1,
    ],
    ['the only one', [{ ...RSA, kid: 'a' }], { alg: 'PS256', kid: null }, 0],
    ['the only one that fits', [RSA, EC], { alg: 'ES256', kid: null }, 1],
    ['several that fit', [RSA, { ...RSA, kid: 'a' }], { alg: 'RS256', kid: null }, 'several'],
    ['another family', [RSA], { alg: 'ES256', kid: null }, 'none'],
    ['another curve', [EC], { alg: 'ES384', kid: null }, 'none'],
    ['another algorithm', [{ ...RSA, alg: 'RS512' }], { alg: 'RS256', kid: null }, 'none'],
    ['another use', [{ ...RSA, use: 'enc' }], { alg: 'RS256', kid: null }, 'none'],
    ['operations without verify', [{ ...RSA, key_ops: ['sign'] }], { alg: 'RS256', kid: null }, 'none'],
    ['operations that are no list', [{ ...RSA, key_ops: 'verify' }], { alg: 'RS256', kid: null }, 'none'],
    [
      'operations with verify',
      [{ ...RSA, key_ops: ['verify'], use: 'sig', alg: 'RS256' }],
      { alg: 'RS256', kid: null },
      0,
    ],
  ])('CP-280 chooses %s', (_, keys, head, chosen) => {
    const choice = chooseKey(keys, head);
    expect(choice).toEqual(typeof chosen === 'number' ? { key: keys[chosen] } : { refused: chosen });
  });
});
