import { hash } from 'node:crypto';
import type { JsonObject, JsonValue } from '../json.js';
import { isStorableText } from '../storage/storable-text.js';
import type { SigningAlgorithm } from './signing-keys.js';

const MAX_SUBJECT_BYTES = 255;
const MAX_TEXT_CHARS = 1024;
const MAX_METHODS = 32;

/** What an ID token is held against. Times are seconds since 1970. */
export interface IdTokenRules {
  issuer: string;
  clientId: string;
  nonce: string;
  alg: SigningAlgorithm;
  /** Null when none came with the ID token. */
  accessToken: string | null;
  flowCreatedSecs: number;
  nowSecs: number;
  skewSecs: number;
}

/** What a login keeps of an ID token besides the mapped claims. */
export interface CheckedIdToken {
  subject: string;
  acr: string | null;
  amr: string[] | null;
  authTimeSecs: number | null;
  sid: string | null;
}

/** The claim for which an ID token is refused. */
export class IdTokenRefused extends Error {
  override readonly name = 'IdTokenRefused';

  constructor(readonly claim: string) {
    super(`the ID token is refused: ${claim}`);
  }
}

/**
 * Every rule about the claims of an ID token, whatever a library has checked before (CP-280). A claim that is there but null or of
 * another type refuses; only `acr` and `amr` may be null.
 *
 * @throws IdTokenRefused
 */
export function checkIdToken(claims: JsonObject, rules: IdTokenRules): CheckedIdToken {
  demand(claims['iss'] === rules.issuer, 'iss');
  checkAudience(claims, rules.clientId);
  checkTimes(claims, rules);
  demand(claims['nonce'] === rules.nonce, 'nonce');
  checkAccessTokenHash(claims['at_hash'], rules);
  const authTime = claims['auth_time'];
  demand(authTime === undefined || isInstant(authTime), 'auth_time');
  return {
    subject: readSubject(claims['sub']),
    acr: readAcr(claims['acr']),
    amr: readAmr(claims['amr']),
    authTimeSecs: typeof authTime === 'number' ? authTime : null,
    sid: claims['sid'] === undefined ? null : readText(claims['sid'], 'sid'),
  };
}

function checkAudience({ aud, azp }: JsonObject, clientId: string): void {
  const audiences = typeof aud === 'string' ? [aud] : Array.isArray(aud) ? aud : [];
  demand(audiences.every((one) => typeof one === 'string') && audiences.includes(clientId), 'aud');
  demand(azp === clientId || (azp === undefined && audiences.length === 1), 'azp');
}

function checkTimes({ exp, nbf, iat }: JsonObject, { nowSecs, skewSecs, flowCreatedSecs }: IdTokenRules): void {
  demand(isInstant(exp) && nowSecs < exp + skewSecs, 'exp');
  demand(nbf === undefined || (isInstant(nbf) && nowSecs >= nbf - skewSecs), 'nbf');
  // Whole seconds: a token of the second in which the flow began is not older than it.
  const earliest = Math.floor(flowCreatedSecs) - skewSecs;
  demand(isInstant(iat) && iat >= earliest && iat <= nowSecs + skewSecs, 'iat');
}

function isInstant(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < 8_640_000_000_000;
}

/** Half of a digest by the algorithm of the signature (OpenID Connect Core §3.1.3.6). */
function checkAccessTokenHash(given: JsonValue | undefined, { alg, accessToken }: IdTokenRules): void {
  if (given === undefined) return;
  demand(accessToken !== null, 'at_hash');
  const digest = hash(`sha${alg.slice(-3)}`, accessToken ?? '', 'buffer');
  demand(given === digest.subarray(0, digest.length / 2).toString('base64url'), 'at_hash');
}

function readSubject(sub: JsonValue | undefined): string {
  const subject = readText(sub, 'sub');
  demand(subject !== '' && Buffer.byteLength(subject) <= MAX_SUBJECT_BYTES, 'sub');
  return subject;
}

function readAcr(acr: JsonValue | undefined): string | null {
  return acr === undefined || acr === null ? null : readText(acr, 'acr');
}

function readAmr(amr: JsonValue | undefined): string[] | null {
  if (amr === undefined || amr === null) return null;
  if (!Array.isArray(amr) || amr.length > MAX_METHODS) throw new IdTokenRefused('amr');
  return amr.map((method) => readText(method, 'amr'));
}

/** A text that the record can hold, as it is. */
function readText(value: JsonValue | undefined, claim: string): string {
  if (typeof value === 'string' && value.length <= MAX_TEXT_CHARS && isStorableText(value)) return value;
  throw new IdTokenRefused(claim);
}

function demand(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new IdTokenRefused(claim);
}
