import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { anyCharacter } from '../../../test/support/random/any-character.js';
import { callbackHeaders, callbackSignature, standardSecret } from './webhook-headers.js';

const SECRET = `svc_whsec_${'0123456789abcdef'.repeat(4)}`;

describe('the signatures of a callback', () => {
  it('CP-104 the seed’s signature is the published vector', () => {
    expect(callbackSignature('svc_whsec_test', 1_752_000_000, '{"a":1}')).toBe(
      'v1=8b4d6c0a54853681897b2ea133c11ddaa9231cadad5d05c793e77329f164f352',
    );
  });

  it('CP-104 CP-298 both schemes sign the same bytes under the delivery’s id', () => {
    const at = new Date(1_752_000_000_999);
    const headers = callbackHeaders(SECRET, { id: 'd-1', body: '{"a":1}', at });
    expect(headers).toEqual({
      'x-service-event': 'run.finished',
      'x-service-delivery': 'd-1',
      'x-service-timestamp': '1752000000',
      'x-service-signature': callbackSignature(SECRET, 1_752_000_000, '{"a":1}'),
      'webhook-id': 'd-1',
      'webhook-timestamp': '1752000000',
      'webhook-signature': `v1,${createHmac('sha256', SECRET).update('d-1.1752000000.{"a":1}').digest('base64')}`,
    });
  });

  it('a library of Standard Webhooks verifies every body with the secret in its own form', () => {
    const verifier = new Webhook(standardSecret(SECRET));
    const body = fc.oneof(fc.string({ unit: anyCharacter }), fc.json()).map((text) => JSON.stringify({ text }));
    fc.assert(
      fc.property(body, fc.uuid(), (sent, id) => {
        const headers = callbackHeaders(SECRET, { id, body: sent, at: new Date() });
        expect(verifier.verify(Buffer.from(sent), headers)).toEqual(JSON.parse(sent));
        expect(() => verifier.verify(`${sent} `, headers)).toThrow();
      }),
    );
  });

  it('the form for libraries is the secret’s own bytes, its prefix included', () => {
    expect(standardSecret('svc_whsec_test')).toBe('whsec_c3ZjX3doc2VjX3Rlc3Q=');
  });
});
