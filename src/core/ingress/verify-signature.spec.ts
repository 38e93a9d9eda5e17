import { describe, expect, it } from '@jest/globals';
import { sign } from '@octokit/webhooks-methods';
import { isSignedBy } from './verify-signature.js';

const SECRET = 'whsec-demo';
const BODY = Buffer.from('{"zen":"ok"}');
const HEX = 'c9acaadb7b1d59fc24bff9f1f8e5ef485e2d365869056506353b07e1f415ecca';

describe('CP-278 signatures of webhooks', () => {
  it('the known vector verifies, in either case of its digits', () => {
    expect(isSignedBy(SECRET, BODY, `sha256=${HEX}`)).toBe(true);
    expect(isSignedBy(SECRET, BODY, `sha256=${HEX.toUpperCase()}`)).toBe(true);
  });

  it.each(['{}', '{"a":"\\u0000"}', '{"name":"Zoë 😀"}', 'not json', `{"long":"${'x'.repeat(2_000_000)}"}`])(
    "what GitHub's own library signs verifies: %.30s",
    async (body) => {
      const signature = await sign(SECRET, body);
      expect(isSignedBy(SECRET, Buffer.from(body), signature)).toBe(true);
      expect(isSignedBy(SECRET, Buffer.from(`${body} `), signature)).toBe(false);
      expect(isSignedBy(`${SECRET}x`, Buffer.from(body), signature)).toBe(false);
    },
  );

  it.each([
    undefined, null, '', HEX, `sha1=${HEX}`, `sha256=${HEX} `, ` sha256=${HEX}`, `sha256=${HEX}00`, `sha256=${HEX.slice(2)}`, `sha-256=${HEX}`,
    `sha256=${HEX}\nsha256=${HEX}`, `sha256=${HEX},sha256=${HEX}`, 'sha256=', `sha256=${'g'.repeat(64)}`, [`sha256=${HEX}`], 7,
  ])('anything else does not: %p', (signature) => expect(isSignedBy(SECRET, BODY, signature)).toBe(false)); // prettier-ignore

  it('nobody can sign with an empty secret', async () => {
    const { createHmac } = await import('node:crypto');
    const signature = `sha256=${createHmac('sha256', '').update(BODY).digest('hex')}`;
    expect(isSignedBy('', BODY, signature)).toBe(false);
  });
});
