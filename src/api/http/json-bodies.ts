import type { FastifyInstance } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { rememberBodyText } from './exact-body.js';

/**
 * The public plane reads JSON bodies only; anything else is 415. No body at all is allowed where a route takes none, also
 * under a JSON content type. A member named `__proto__` is refused.
 */
export function readJsonBodiesOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') {
      done(null, undefined);
      return;
    }
    rememberBodyText(request, body as string);
    void parse(request, body as string, (error, value) =>
      done(error === null ? null : whyUnread(body as string), value),
    );
  });
}

/** The parser says the same of malformed text and of a member that it refuses. */
function whyUnread(body: string): SandgateError {
  try {
    JSON.parse(body);
  } catch (cause) {
    return new SandgateError('invalid_request', 'body: is not valid JSON', { cause });
  }
  return new SandgateError('invalid_request', 'body: a member named __proto__, or constructor.prototype, is refused');
}
