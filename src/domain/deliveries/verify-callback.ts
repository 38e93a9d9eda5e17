import { createHmac, timingSafeEqual } from 'node:crypto';
import { digestOfText } from '../digest/digest.js';
import { readSecretForm, type SecretForm } from './callback-secret-form.js';
import { otherBytes } from './other-bytes.js';

/** A request that brought a webhook, as it came. */
export interface CameRequest {
  /** By name in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

export type CallbackFault =
  | 'no_signature'
  | 'missing_header'
  | 'malformed_header'
  | 'too_old'
  | 'too_new'
  | 'altered_header'
  | 'other_bytes'
  | 'wrong_secret_form'
  | 'wrong_secret';

export interface CallbackProblem {
  fault: CallbackFault;
  message: string;
}

export interface CallbackReport {
  ok: boolean;
  /** Headers whose signature fits the body, whatever else is wrong. */
  verified: string[];
  problems: CallbackProblem[];
  delivery_id: string | null;
  /** When it was signed, RFC 3339; null when no header says it. */
  signed_at: string | null;
  /** `sha256:` and hexadecimal digits over the body: the `payload_digest` of the delivery, if its last attempt is this one. */
  payload_digest: string;
}

/** How far the clocks of sender and receiver may be apart, transport included. */
export const MAX_AGE_SECS = 300;

interface Scheme {
  id: string;
  timestamp: string;
  signature: string;
  /** The signatures that a header holds; none when it is not of the form. */
  read(header: string): Buffer[];
  form: string;
  signed(id: string, timestamp: string): string;
}

const SCHEMES: readonly Scheme[] = [
  {
    id: 'x-service-delivery',
    timestamp: 'x-service-timestamp',
    signature: 'x-service-signature',
    read: (header) => [...header.matchAll(/^v1=([0-9a-f]{64})$/gi)].map(([, hex = '']) => Buffer.from(hex, 'hex')),
    form: '`v1=` and 64 hexadecimal digits',
    signed: (_id, timestamp) => `${timestamp}.`,
  },
  {
    id: 'webhook-id',
    timestamp: 'webhook-timestamp',
    signature: 'webhook-signature',
    read: (header) =>
      [...header.matchAll(/(?<=^| )v1,([A-Za-z0-9+/]{43}=)(?=$| )/g)].map(([, text = '']) =>
        Buffer.from(text, 'base64'),
      ),
    form: '`v1,` and 44 characters of base64',
    signed: (id, timestamp) => `${id}.${timestamp}.`,
  },
];

/**
 * Whether a webhook came from whom it says: both signatures that a callback bears, or the one that is there. The inverse of signing
 * (`webhook-headers.ts`), which tells its reader what exactly does not fit.
 *
 * @param secret `svc_whsec_…`, or `whsec_…` as libraries of Standard Webhooks take it
 * @param at when the request came
 */
export function verifyCallback(request: CameRequest, secret: string, at: Date): CallbackReport {
  const { headers, body } = request;
  const form = readSecretForm(secret);
  const present = SCHEMES.filter((scheme) => namesOf(scheme).some((name) => headers[name] !== undefined));
  const problems = present.flatMap((scheme) => headerProblems(scheme, headers));
  if (present.length === 0) problems.push(noSignature(headers));
  const whole = present.filter((scheme) => headerProblems(scheme, headers).length === 0);
  problems.push(...ageProblems(whole, headers, at));
  const verified = form.key === null ? [] : whole.filter((scheme) => fits(scheme, request, form.key as Buffer));
  const failed = whole.filter((scheme) => !verified.includes(scheme));
  if (form.fault !== null) problems.push(wrongForm(form, verified.length > 0));
  if (form.key !== null)
    problems.push(...mismatches(request, form as SecretForm & { key: Buffer }, { verified, failed }));
  if (verified.length > 0) problems.push(...identityProblems(present, request));
  return {
    ok: problems.length === 0,
    verified: verified.map(({ signature }) => signature),
    problems,
    delivery_id: present.map(({ id }) => headers[id]).find((id) => id !== undefined) ?? null,
    signed_at: signedAt(whole, headers),
    payload_digest: digestOfText(body),
  };
}

function namesOf({ id, timestamp, signature }: Scheme): string[] {
  return [id, timestamp, signature];
}

function noSignature(headers: CameRequest['headers']): CallbackProblem {
  const names = Object.keys(headers).join(', ');
  return {
    fault: 'no_signature',
    message: `no header of a signature: neither x-service-signature nor webhook-signature is among ${names || 'none'}`,
  };
}

function headerProblems(scheme: Scheme, headers: CameRequest['headers']): CallbackProblem[] {
  const missing = namesOf(scheme).filter((name) => headers[name] === undefined);
  const problems = missing.map((name): CallbackProblem => ({
    fault: 'missing_header',
    message: `${name} is missing, and ${namesOf(scheme)
      .filter((other) => !missing.includes(other))
      .join(' and ')} came`,
  }));
  const [timestamp, signature] = [headers[scheme.timestamp], headers[scheme.signature]];
  if (timestamp !== undefined && !/^\d{1,12}$/.test(timestamp))
    problems.push(malformed(scheme.timestamp, 'seconds since 1970'));
  if (signature !== undefined && scheme.read(signature).length === 0)
    problems.push(malformed(scheme.signature, scheme.form));
  return problems;
}

function malformed(name: string, form: string): CallbackProblem {
  return { fault: 'malformed_header', message: `${name} is not ${form}` };
}

/** Once for each timestamp: both schemes mostly bear the same. */
function ageProblems(schemes: readonly Scheme[], headers: CameRequest['headers'], at: Date): CallbackProblem[] {
  const byTimestamp = new Map(schemes.map(({ timestamp: name }) => [Number(headers[name]), name]));
  return [...byTimestamp].flatMap(([seconds, name]): CallbackProblem[] => {
    const age = Math.round(at.getTime() / 1000 - seconds);
    if (Math.abs(age) <= MAX_AGE_SECS) return [];
    return age > 0
      ? [{ fault: 'too_old', message: `${name} is ${age} s ago; more than ${MAX_AGE_SECS} s is refused as a replay` }]
      : [
          {
            fault: 'too_new',
            message: `${name} is ${-age} s ahead; at most ${MAX_AGE_SECS} s is taken: compare the clocks`,
          },
        ];
  });
}

function fits(scheme: Scheme, { headers, body }: CameRequest, key: Buffer): boolean {
  const lead = scheme.signed(headers[scheme.id] ?? '', headers[scheme.timestamp] ?? '');
  const expected = createHmac('sha256', key).update(lead).update(body).digest();
  return scheme.read(headers[scheme.signature] ?? '').some((given) => timingSafeEqual(given, expected));
}

function wrongForm({ fault }: SecretForm, verifies: boolean): CallbackProblem {
  const end = verifies ? '; corrected, it verifies the request' : '';
  return { fault: 'wrong_secret_form', message: `the secret ${fault}${end}` };
}

/** Why signatures do not fit, as far as it can be told. */
function mismatches(
  request: CameRequest,
  form: SecretForm & { key: Buffer },
  { verified, failed }: { verified: Scheme[]; failed: Scheme[] },
): CallbackProblem[] {
  const [scheme] = failed;
  if (scheme === undefined) return [];
  const [right] = verified;
  if (right !== undefined) {
    const altered = namesOf(scheme).join(', ');
    return [
      {
        fault: 'altered_header',
        message: `${scheme.signature} does not fit although ${right.signature} does: secret and body are right, and one of ${altered} is not what was sent`,
      },
    ];
  }
  const difference = otherBytes(request, (body) => fits(scheme, { ...request, body }, form.key));
  if (difference !== null) return [{ fault: 'other_bytes', message: difference }];
  if (form.suspicion !== null)
    return [{ fault: 'wrong_secret_form', message: `no signature fits, and the secret ${form.suspicion}` }];
  const digest = digestOfText(request.body);
  return [
    {
      fault: 'wrong_secret',
      message: `no signature fits: the secret is of another trigger or of an earlier callback_url, or the body is not what was sent. If the delivery's payload_digest is ${digest}, it is the secret`,
    },
  ];
}

/** What a signature does not cover must say what the signed body says. */
function identityProblems(schemes: readonly Scheme[], { headers, body }: CameRequest): CallbackProblem[] {
  const signed = /^\s*\{"event":"run\.finished","delivery_id":"([0-9a-f-]{36})"/.exec(body.toString('utf8'))?.[1];
  if (signed === undefined) return [];
  return schemes
    .filter(({ id }) => headers[id] !== undefined && headers[id] !== signed)
    .map(({ id }) => ({
      fault: 'altered_header',
      message: `${id} is not the delivery_id of the signed body, ${signed}`,
    }));
}

function signedAt(schemes: readonly Scheme[], headers: CameRequest['headers']): string | null {
  const [scheme] = schemes;
  return scheme === undefined ? null : new Date(Number(headers[scheme.timestamp]) * 1000).toISOString();
}
