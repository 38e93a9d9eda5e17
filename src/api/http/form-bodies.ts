import type { FastifyInstance } from 'fastify';
import { SandgateError } from '../../domain/errors.js';

export const FORM = 'application/x-www-form-urlencoded';
/** A form holds a token or two. */
const MAX_FORM_BYTES = 16_384;

/**
 * Reads forms at these addresses, of our own pages and of protocols that send them, and nowhere else: everywhere else a form is
 * refused like any body that is not JSON.
 */
export function readFormsAt(server: FastifyInstance, ...addresses: string[]): void {
  server.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: MAX_FORM_BYTES }, (request, body, done) => {
    if (!addresses.includes(request.routeOptions.url ?? '')) {
      done(new SandgateError('unsupported_media_type', 'the request body must be application/json'));
      return;
    }
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}
