import { hostCookie, readCookie } from '../http/cookies.js';
import { FLOW_TTL_SECS } from '../../core/oauth/flow-records.js';

/** Binds a browser to the connect flow that was opened in it (docs/design/oauth.md). */
const NAME = '__Host-svc_oauth_flow';

export function setFlowCookie(value: string): string {
  return hostCookie(NAME, value, FLOW_TTL_SECS);
}

export function clearFlowCookie(): string {
  return hostCookie(NAME, '', 0);
}

export function readFlowCookie(header: string | undefined): string | null {
  return readCookie(header, NAME);
}
