import { WEB_COOKIE } from './credentials.js';

const ATTRIBUTES = 'HttpOnly; SameSite=Lax; Secure; Path=/';

/** The cookie of a browser session, for as long as the session can last. */
export function webCookie(token: string, maxAgeSecs: number): string {
  return `${WEB_COOKIE}=${token}; ${ATTRIBUTES}; Max-Age=${maxAgeSecs}`;
}

export const CLEARED_WEB_COOKIE = `${WEB_COOKIE}=deleted; ${ATTRIBUTES}; Max-Age=0`;
