import type { IncomingHttpHeaders } from 'node:http';
import { SandgateError } from '../../domain/errors.js';

export const WEB_COOKIE = '__Host-svc_web';
const BEARER = 'Bearer ';

/** What a request shows for itself; empty where it shows nothing. */
export interface Credentials {
  bearer: string | null;
  /** The token of a browser session. */
  cookie: string | null;
}

/**
 * The one credential of a request (docs/design/identity.md). A bearer together with a browser session is refused and never ranked: a page
 * that can add a header must not borrow the cookie's identity, nor the other way round. Of two sessions nobody knows which is meant.
 *
 * @throws SandgateError `invalid_request` for both kinds, `unauthorized` for several sessions
 */
export function readCredentials({ authorization, cookie }: IncomingHttpHeaders): Credentials {
  const bearer = authorization?.startsWith(BEARER) === true ? authorization.slice(BEARER.length) : null;
  const sessions = webCookies(cookie);
  if (bearer !== null) {
    if (sessions.length > 0) {
      throw new SandgateError('invalid_request', 'send either a bearer token or a browser session cookie, not both');
    }
    return { bearer: bearer === '' ? null : bearer, cookie: null };
  }
  if (sessions.length > 1) throw unauthorized();
  return { bearer: null, cookie: sessions[0] ?? null };
}

/** Whether a request carries a browser session. */
export function hasWebCookie(header: string | undefined): boolean {
  return webCookies(header).length > 0;
}

export function unauthorized(): SandgateError {
  return new SandgateError('unauthorized', 'unauthorized');
}

function webCookies(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header.split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=');
    return name.trim() === WEB_COOKIE ? [value.join('=').trim()] : [];
  });
}
