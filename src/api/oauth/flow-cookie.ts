import { readCookie } from '../pages/read-cookie.js';
import { FLOW_TTL_SECS } from '../../core/oauth/flow-records.js';

/** Binds a browser to the connect flow that was opened in it (docs/design/oauth.md). */
const NAME = '__Host-svc_oauth_flow';
const ATTRIBUTES = 'HttpOnly; SameSite=Lax; Secure; Path=/';

export function setFlowCookie(value: string): string {
  return `${NAME}=${value}; ${ATTRIBUTES}; Max-Age=${FLOW_TTL_SECS}`;
}

export function clearFlowCookie(): string {
  return `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;
}

export function readFlowCookie(header: string | undefined): string | null {
  return readCookie(header, NAME);
}
