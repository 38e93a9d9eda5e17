import type { IncomingHttpHeaders } from 'node:http';
import { SandgateError } from '../../domain/errors.js';

const BEARER = 'Bearer ';
const WEB_COOKIE = '__Host-svc_web';

/**
 * The one credential of a request (docs/design/identity.md). A bearer together with a browser session is refused and never ranked: a page
 * that can add a header must not borrow the cookie's identity, nor the other way round.
 */
export function readBearer(headers: IncomingHttpHeaders): string | null {
  const bearer = headers.authorization?.startsWith(BEARER) ? headers.authorization.slice(BEARER.length) : null;
  if (bearer !== null && hasWebCookie(headers.cookie)) {
    throw new SandgateError('invalid_request', 'send either a bearer token or a browser session cookie, not both');
  }
  return bearer === '' ? null : bearer;
}

/** Whether a request carries a browser session. */
export function hasWebCookie(header: string | undefined): boolean {
  if (header === undefined) return false;
  return header.split(';').some((pair) => pair.trim().split('=', 1)[0] === WEB_COOKIE);
}
