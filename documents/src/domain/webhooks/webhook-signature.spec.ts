import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { newWebhookSecret, refuseWebhook, signWebhook } from './webhook-signature.js';

const NOW = new Date();
const BODY = '{"id":"e1","type":"document.ready","data":{"name":"Übergröße"}}';

describe('the signature of a webhook', () => {
  it('DI-023 is the one of the Standard Webhooks, also while one secret replaces another', () => {
    const [old, next] = [newWebhookSecret(), newWebhookSecret()];
    const headers = signWebhook([next, old], 'e1', NOW, BODY);
    for (const secret of [old, next])
      expect(new Webhook(secret).verify(BODY, { ...headers })).toMatchObject({ id: 'e1' });
    expect(() => new Webhook(newWebhookSecret()).verify(BODY, { ...headers })).toThrow();
    expect(headers['webhook-signature']).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
  });

  it('DI-023 our own verifier takes it, and what the library signs', () => {
    const secret = newWebhookSecret();
    const theirs = {
      'webhook-id': 'e2',
      'webhook-timestamp': String(Math.floor(NOW.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('e2', NOW, BODY),
    };
    const seen = new Set<string>();
    expect(refuseWebhook(secret, signWebhook([secret], 'e1', NOW, BODY), BODY, { now: NOW, seen })).toBeNull();
    expect(refuseWebhook(secret, theirs, BODY, { now: NOW, seen })).toBeNull();
  });

  it('a replay, a time that is off, another body and another secret are refused', () => {
    const secret = newWebhookSecret();
    const headers = signWebhook([secret], 'e1', NOW, BODY);
    const seen = new Set<string>();
    const at = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1000);
    expect(refuseWebhook(secret, headers, `${BODY} `, { now: NOW, seen })).toBe('signature_wrong');
    expect(refuseWebhook(newWebhookSecret(), headers, BODY, { now: NOW, seen })).toBe('signature_wrong');
    expect(refuseWebhook(secret, headers, BODY, { now: at(302), seen })).toBe('timestamp_skewed');
    expect(refuseWebhook(secret, headers, BODY, { now: at(-302), seen })).toBe('timestamp_skewed');
    expect(refuseWebhook(secret, { ...headers, 'webhook-timestamp': 'x' }, BODY, { now: NOW, seen })).toBe(
      'timestamp_skewed',
    );
    expect(refuseWebhook(secret, {}, BODY, { now: NOW, seen })).toBe('headers_missing');
    expect(refuseWebhook(secret, headers, BODY, { now: at(299), seen })).toBeNull();
    expect(refuseWebhook(secret, headers, BODY, { now: NOW, seen })).toBe('id_repeated');
  });
});
