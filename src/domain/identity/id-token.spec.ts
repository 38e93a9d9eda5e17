import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../json.js';
import { checkIdToken, type IdTokenRules } from './id-token.js';

const NOW = 1_800_000_000;
const RULES: IdTokenRules = {
  issuer: 'https://issuer.example/realm',
  clientId: 'client',
  nonce: 'a-nonce',
  alg: 'RS256',
  accessToken: 'an-access-token',
  flowCreatedSecs: NOW - 100.5,
  nowSecs: NOW + 0.4,
  skewSecs: 60,
};
const GOOD: JsonObject = {
  iss: RULES.issuer,
  aud: 'client',
  sub: 'Ada|1',
  nonce: 'a-nonce',
  iat: NOW - 10,
  exp: NOW + 300,
};
const half = (alg: string): string => {
  const digest = hash(alg, 'an-access-token', 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
};
const check = (more: JsonObject, rules: Partial<IdTokenRules> = {}) =>
  checkIdToken({ ...GOOD, ...more }, { ...RULES, ...rules });
const without = (claim: string): JsonObject =>
  Object.fromEntries(Object.entries(GOOD).filter(([name]) => name !== claim));

describe('claims of an ID token', () => {
  const good: [string, JsonObject, Partial<IdTokenRules>?][] = [
    ['the plainest', {}],
    ['one audience in a list', { aud: ['client'] }],
    ['several audiences and azp', { aud: ['other', 'client'], azp: 'client' }],
    ['one audience and azp', { azp: 'client' }],
    ['a second before its end, by our clock', { exp: NOW - 59 }],
    ['not before now, by a clock that is ahead', { nbf: NOW + 60 }],
    ['made at the beginning, by a clock that is behind', { iat: NOW - 161 }],
    ['made now, by a clock that is ahead', { iat: NOW + 60 }],
    ['at_hash', { at_hash: half('sha256') }],
    ['at_hash of a longer digest', { at_hash: half('sha384') }, { alg: 'ES384' }],
    ['a subject of 255 bytes', { sub: 'é'.repeat(127) + 'x' }],
    ['acr and amr that are null', { acr: null, amr: null }],
  ];
  it.each(good.map(([name, ...given]) => ({ name, given })))('CP-280 $name is good', ({ given: [claims, rules] }) => {
    expect(check(claims, rules).subject).toBe(claims['sub'] ?? 'Ada|1');
  });

  it('CP-280 what a session keeps is read as it is', () => {
    const read = check({ acr: 'urn:silver', amr: ['pwd', 'otp'], auth_time: NOW - 50, sid: 'at the provider' });
    expect(read).toEqual({
      subject: 'Ada|1',
      acr: 'urn:silver',
      amr: ['pwd', 'otp'],
      authTimeSecs: NOW - 50,
      sid: 'at the provider',
    });
  });

  const wrong: Record<string, JsonValue[]> = {
    iss: [
      'https://issuer.example/realm/',
      'https://ISSUER.example/realm',
      'https://issuer.example',
      null,
      1,
      [RULES.issuer],
    ],
    aud: ['other', ['other'], [], null, 1, {}, ['client', 1], ['client', null], 'Client'],
    azp: ['other', null, 1, ['client'], ''],
    exp: [NOW - 60, NOW - 61, 0, -1, NOW + 0.5, '1800000300', null, true, 1e300],
    nbf: [NOW + 61, NOW + 0.5, '0', null, true],
    iat: [NOW - 162, NOW + 61, NOW - 10.5, '1799999990', null, true],
    nonce: ['another', '', null, 1, ['a-nonce']],
    sub: ['', 'x'.repeat(256), 'é'.repeat(128), null, 1, ['a'], 'nul\u0000', 'half \ud800'],
    at_hash: ['', half('sha384'), `${half('sha256')}=`, null, 1],
    auth_time: ['1', null, 1.5, -1],
    acr: [1, {}, ['a'], 'a'.repeat(1025)],
    amr: ['pwd', [1], [null], {}, ['a', ['b']], Array.from({ length: 33 }, () => 'a')],
    sid: [null, 1, {}],
  };
  for (const [claim, values] of Object.entries(wrong)) {
    it.each(values.map((value) => [JSON.stringify(value).slice(0, 40), value] as const))(
      `CP-280 ${claim} of %s refuses`,
      (_, value) => {
        expect(() => check({ [claim]: value })).toThrow(expect.objectContaining({ claim }));
      },
    );
  }

  it.each(['iss', 'aud', 'sub', 'exp', 'iat', 'nonce'])('CP-280 a token without %s is refused', (claim) => {
    expect(() => checkIdToken(without(claim), RULES)).toThrow(expect.objectContaining({ claim }));
  });

  it('CP-280 several audiences need azp, and at_hash needs an access token', () => {
    expect(() => check({ aud: ['client', 'other'] })).toThrow(expect.objectContaining({ claim: 'azp' }));
    expect(() => check({ at_hash: half('sha256') }, { accessToken: null })).toThrow(
      expect.objectContaining({ claim: 'at_hash' }),
    );
  });
});
