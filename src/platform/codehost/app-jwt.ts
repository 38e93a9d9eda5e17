import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { SandgateError } from '../../domain/errors.js';

/** How far the clock of the code host may be behind ours, in seconds. */
const SKEW_SECS = 60;
const VALID_SECS = 540;

/**
 * The token by which an app proves to its code host who it is: RS256, valid for nine minutes (docs/design/connections.md).
 *
 * @param nowMs clock time in milliseconds
 */
export function appJwt(appId: string, key: KeyObject, nowMs: number = Date.now()): string {
  const now = Math.floor(nowMs / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iat: now - SKEW_SECS, exp: now + VALID_SECS, iss: appId };
  const body = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${sign('sha256', Buffer.from(body), key).toString('base64url')}`;
}

/**
 * Reads the private key of an app, PKCS#1 or PKCS#8, PEM. Keys that were pasted with `\n` in place of line ends are read too.
 *
 * @throws SandgateError `invalid_request` for anything but an RSA key of at least 2048 bits
 */
export function readAppKey(pem: string): KeyObject {
  const key = parseKey(pem.replaceAll('\\n', '\n'));
  if (key?.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048) return key;
  throw new SandgateError(
    'invalid_request',
    'private_key must be an RSA private key of at least 2048 bits in PEM form, without a passphrase',
  );
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    // The parser's message may quote the secret, so it is not repeated; the caller says what is expected.
    return undefined;
  }
}
