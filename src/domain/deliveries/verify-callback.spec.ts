import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verifyCallback, type CallbackFault, type CameRequest } from './verify-callback.js';
import { callbackHeaders, standardHeaders, standardSecret } from './webhook-headers.js';

const SECRET = `svc_whsec_${'0123456789abcdef'.repeat(4)}`;
const ID = '019a8f6e-0000-7000-8000-000000000001';
const AT = new Date('2026-03-01T12:00:00Z');
const TEXT = `{"event":"run.finished","delivery_id":"${ID}","attempt":1,"note":"äöü"}`;
const HEADERS = callbackHeaders(SECRET, { id: ID, body: TEXT, at: AT });
const SENT: CameRequest = { headers: HEADERS, body: Buffer.from(TEXT) };

/** What is found wrong with a request that differs from the one that was sent. */
function faults(difference: Partial<CameRequest>, secret = SECRET, at = AT): [CallbackFault, string][] {
  const { ok, problems } = verifyCallback({ ...SENT, ...difference }, secret, at);
  expect(ok).toBe(problems.length === 0);
  return problems.map(({ fault, message }) => [fault, message]);
}

const without = (...names: string[]) => ({
  headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => !names.includes(name))),
});
const altered = (name: string, value: string) => ({ headers: { ...HEADERS, [name]: value } });
const later = (secs: number) => new Date(AT.getTime() + secs * 1000);

describe('verifyCallback', () => {
  it('CP-104 accepts what was signed, by both signatures and with both forms of the secret', () => {
    for (const secret of [SECRET, `${SECRET}\n`, standardSecret(SECRET)]) {
      expect(verifyCallback(SENT, secret, later(299))).toEqual({
        ok: true,
        verified: ['x-service-signature', 'webhook-signature'],
        problems: [],
        delivery_id: ID,
        signed_at: '2026-03-01T12:00:00.000Z',
        payload_digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
    }
  });

  it('CP-104 is the inverse of signing, for every body, and refuses every other body', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.uuid(), (sent, came, id) => {
        const body = Buffer.from(sent).toString();
        const headers = callbackHeaders(SECRET, { id, body, at: AT });
        expect(verifyCallback({ headers, body: Buffer.from(body) }, SECRET, AT).ok).toBe(true);
        if (!Buffer.from(came).equals(Buffer.from(body)))
          expect(verifyCallback({ headers, body: Buffer.from(came) }, SECRET, AT).verified).toEqual([]);
      }),
    );
  });

  it('takes one signature where one came: notices of approvals bear the standard one alone', () => {
    const notice = { headers: standardHeaders(standardSecret('any key'), { id: 'n', body: '{}', at: AT }) };
    const report = verifyCallback({ ...notice, body: Buffer.from('{}') }, standardSecret('any key'), AT);
    expect(report).toMatchObject({ ok: true, verified: ['webhook-signature'], delivery_id: 'n' });
  });

  it('says which header is missing', () => {
    expect(faults(without('x-service-timestamp'))).toEqual([
      ['missing_header', 'x-service-timestamp is missing, and x-service-delivery and x-service-signature came'],
    ]);
    expect(faults(without('webhook-signature'))).toEqual([
      ['missing_header', 'webhook-signature is missing, and webhook-id and webhook-timestamp came'],
    ]);
    expect(faults({ headers: { host: 'x', accept: '*/*' } })).toEqual([
      ['no_signature', expect.stringContaining('is among host, accept')],
    ]);
    expect(faults({ headers: {} })).toEqual([['no_signature', expect.stringContaining('is among none')]]);
  });

  it('says which header is not of its form', () => {
    expect(faults(altered('x-service-signature', 'v2=00'))).toEqual([
      ['malformed_header', 'x-service-signature is not `v1=` and 64 hexadecimal digits'],
    ]);
    expect(faults(altered('webhook-timestamp', '2026-03-01T12:00:00Z'))).toEqual([
      ['malformed_header', 'webhook-timestamp is not seconds since 1970'],
    ]);
  });

  it('says that a right request is too old, or from a clock that is ahead', () => {
    expect(faults({}, SECRET, later(301))).toEqual([
      ['too_old', 'webhook-timestamp is 301 s ago; more than 300 s is refused as a replay'],
    ]);
    expect(faults({}, SECRET, later(-400))).toEqual([
      ['too_new', expect.stringContaining('webhook-timestamp is 400 s ahead')],
    ]);
  });

  it.each([
    ['a line break at its end', Buffer.from(`${TEXT}\n`), 'it has a line break at its end'],
    ['a byte order mark', Buffer.from(`\uFEFF${TEXT}`), 'it begins with a byte order mark'],
    ['another layout', Buffer.from(JSON.stringify(JSON.parse(TEXT), null, 2)), 'it was parsed and written again'],
  ])('says that the body has other bytes: %s', (_what, body, message) => {
    expect(faults({ body })).toEqual([
      ['other_bytes', expect.stringContaining(`the body is not what was sent: ${message}`)],
    ]);
  });

  it('says that the body has other bytes: line breaks of another system, or another length', () => {
    const [body, headers] = ['a\nb', callbackHeaders(SECRET, { id: ID, body: 'a\nb', at: AT })];
    expect(faults({ headers, body: Buffer.from('a\r\nb') })).toEqual([
      ['other_bytes', 'the body is not what was sent: its line breaks were turned into CR LF'],
    ]);
    expect(faults({ headers: { ...headers, 'content-length': '3' }, body: Buffer.from('abcd') })).toEqual([
      ['other_bytes', 'the body is not what was sent: content-length is 3, and it has 4 bytes'],
    ]);
    expect(body).toHaveLength(3);
  });

  it('says that a header was altered when the other signature fits', () => {
    expect(faults(altered('webhook-id', 'another'))).toEqual([
      [
        'altered_header',
        'webhook-signature does not fit although x-service-signature does: secret and body are right, and one of webhook-id, webhook-timestamp, webhook-signature is not what was sent',
      ],
      ['altered_header', `webhook-id is not the delivery_id of the signed body, ${ID}`],
    ]);
    expect(faults(altered('x-service-delivery', 'another'))).toEqual([
      ['altered_header', `x-service-delivery is not the delivery_id of the signed body, ${ID}`],
    ]);
  });

  it.each([
    [SECRET.slice('svc_whsec_'.length), 'lacks its beginning svc_whsec_, which is a part of the key; corrected'],
    [
      standardSecret(SECRET).slice('whsec_'.length),
      'lacks its beginning whsec_, by which libraries know the form; cor',
    ],
    [`svc_trig_${'0'.repeat(64)}`, 'begins with svc_trig_ and is a token'],
    ['whsec_%%', 'is not base64 after whsec_'],
    ['hunter2', 'begins neither with svc_whsec_ nor with whsec_'],
    [' ', 'is empty'],
  ])('says that the secret has not the form of one: %s', (secret, message) => {
    expect(faults({}, secret)).toEqual([['wrong_secret_form', expect.stringContaining(`the secret ${message}`)]]);
  });

  it('says that a part of the secret is missing, or that it is of another trigger', () => {
    expect(faults({}, SECRET.slice(0, -1))).toEqual([
      ['wrong_secret_form', expect.stringContaining('has 63 digits after svc_whsec_ instead of 64')],
    ]);
    expect(faults({}, SECRET.toUpperCase().replace('SVC_WHSEC_', 'svc_whsec_'))).toEqual([
      ['wrong_secret_form', expect.stringContaining('are not lower-case hexadecimal digits')],
    ]);
    const { payload_digest: digest } = verifyCallback(SENT, SECRET, AT);
    for (const other of [`svc_whsec_${'0'.repeat(64)}`, standardSecret(`svc_whsec_${'0'.repeat(64)}`)])
      expect(faults({}, other)).toEqual([['wrong_secret', expect.stringContaining(`payload_digest is ${digest}`)]]);
  });

  it('never says of a secret what it is', () => {
    const secret = 'hunter2-5up3r-s3cret';
    const { problems } = verifyCallback(SENT, secret, AT);
    expect(JSON.stringify(problems)).not.toContain('5up3r');
  });
});
