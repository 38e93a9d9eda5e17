import { APP_PATH } from '../../core/codehost/app-addresses.js';
import { APP_FLOW_TTL_SECS } from '../../core/codehost/app-flow-records.js';
import { readCookie } from '../http/cookies.js';

/** Binds a browser to the flow that was opened in it, one cookie for each (docs/design/code-host-apps.md). */
const nameOf = (flowId: string): string => `svc_gh_${flowId.replaceAll('-', '')}`;

/** @param secure whether people reach us over https */
export function setAppFlowCookie(flowId: string, nonce: string, secure: boolean): string {
  return `${nameOf(flowId)}=${nonce}; ${attributes(secure)}; Max-Age=${APP_FLOW_TTL_SECS}`;
}

export function clearAppFlowCookie(flowId: string, secure: boolean): string {
  return `${nameOf(flowId)}=; ${attributes(secure)}; Max-Age=0`;
}

export function readAppFlowCookie(header: string | undefined, flowId: string): string | null {
  return readCookie(header, nameOf(flowId));
}

function attributes(secure: boolean): string {
  return `HttpOnly; SameSite=Lax; Path=${APP_PATH}${secure ? '; Secure' : ''}`;
}
