import type { IncomingHttpHeaders } from 'node:http';
import { SandgateError } from '../../../domain/errors.js';
import { hasWebCookie } from '../../auth/credentials.js';

/** What a request gives as its runner token, or null. A scheme is matched as `Bearer `, exactly. */
export function readRunnerToken(headers: IncomingHttpHeaders, acceptsApiKey: boolean): string | null {
  const apiKey = headers['x-api-key'];
  if (acceptsApiKey && typeof apiKey === 'string') return apiKey;
  const { authorization } = headers;
  return authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : null;
}

/** A bearer beside the web session cookie is a mistake or an attack; neither may win (docs/design/runner.md). */
export function refuseCookieBesideBearer(headers: IncomingHttpHeaders): void {
  if (hasWebCookie(headers.cookie)) {
    throw new SandgateError('invalid_request', 'a web session cookie and a runner token cannot be combined');
  }
}
