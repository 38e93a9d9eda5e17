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

/** Null when the request carries none, or several: then it is unknown which one came from us. */
export function readFlowCookie(header: string | undefined): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([name]) => name === NAME)
    .map(([, ...value]) => value.join('='));
  const [value] = values;
  return values.length === 1 && value !== undefined && value !== '' ? value : null;
}
