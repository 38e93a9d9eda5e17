import { hostCookie, readCookie } from '../http/cookies.js';
import { WEB_COOKIE } from './credentials.js';

/** The cookie of a browser session, for as long as the session can last. */
export function webCookie(token: string, maxAgeSecs: number): string {
  return hostCookie(WEB_COOKIE, token, maxAgeSecs);
}

export const CLEARED_WEB_COOKIE = hostCookie(WEB_COOKIE, 'deleted', 0);

/** The token of the browser's session, on pages that no guard stands before; null when there is none, or several. */
export function readWebCookie(header: string | undefined): string | null {
  return readCookie(header, WEB_COOKIE);
}
