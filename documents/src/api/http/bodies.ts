import type { FastifyInstance, FastifyRequest } from 'fastify';
import { DocsvcError } from '../../domain/errors.js';

export const FORM = 'application/x-www-form-urlencoded';
/** A form holds a credential and a few names. */
const MAX_FORM_BYTES = 16_384;

const TEXTS = new WeakMap<object, string>();

/** The JSON body of a request as it was sent; empty where there was none. */
export function bodyText(request: FastifyRequest): string {
  return TEXTS.get(request.raw) ?? '';
}

/**
 * Reads JSON bodies; what a route reads by itself has a parser of its own. No body at all is allowed where a route takes none, also under
 * a JSON content type. A member named `__proto__` is refused.
 */
export function readJsonBodies(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser(['application/json', 'text/plain']);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text === '') {
      done(null, undefined);
      return;
    }
    TEXTS.set(request.raw, text);
    void parse(request, text, (error, value) => done(error === null ? null : whyUnread(text), value));
  });
}

/** Reads forms at these addresses and nowhere else: everywhere else a form is refused like any body that is not JSON. */
export function readFormsAt(server: FastifyInstance, ...addresses: string[]): void {
  // Whoever comes here has no token yet, so that no other body may be longer either.
  server.addHook('onRoute', (options) => {
    if (addresses.includes(options.url)) options.bodyLimit = MAX_FORM_BYTES;
  });
  server.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (request, body, done) => {
    if (addresses.includes(request.routeOptions.url ?? '')) done(null, new URLSearchParams(body as string));
    else done(notJson());
  });
}

/** The refusal of a body that a route does not read. */
export function notJson(): DocsvcError {
  return new DocsvcError('unsupported_type', 'the request body must be application/json');
}

/** The parser says the same of malformed text and of a member that it refuses. */
function whyUnread(text: string): DocsvcError {
  try {
    JSON.parse(text);
  } catch (cause) {
    return new DocsvcError('invalid_request', 'body: is not valid JSON', { cause });
  }
  return new DocsvcError('invalid_request', 'body: a member named __proto__, or constructor.prototype, is refused');
}
