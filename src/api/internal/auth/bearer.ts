import type { IncomingHttpHeaders } from 'node:http';
import { SandgateError } from '../../../domain/errors.js';

const SESSION_TOKEN = /^svc_sess_[0-9a-f]{64}$/;
const WEB_SESSION_COOKIE = '__Host-svc_web=';

/** The runner token of a request, or null when there is none of the right shape. A scheme is matched as `Bearer `, exactly. */
export function readRunnerToken(headers: IncomingHttpHeaders, acceptsApiKey: boolean): string | null {
  const apiKey = headers['x-api-key'];
  if (acceptsApiKey && typeof apiKey === 'string') return SESSION_TOKEN.test(apiKey) ? apiKey : null;
  const { authorization } = headers;
  if (authorization === undefined || !authorization.startsWith('Bearer ')) return null;
  const token = authorization.slice('Bearer '.length);
  return SESSION_TOKEN.test(token) ? token : null;
}

/** A bearer beside the web session cookie is a mistake or an attack; neither may win (chapter 20 §1). */
export function refuseCookieBesideBearer(headers: IncomingHttpHeaders): void {
  if (headers.cookie?.includes(WEB_SESSION_COOKIE) === true) {
    throw new SandgateError('invalid_request', 'a web session cookie and a runner token cannot be combined');
  }
}
