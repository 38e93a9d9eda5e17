import type { FastifyInstance } from 'fastify';
import { SandgateError } from '../../domain/errors.js';

const ARCHIVE = 'application/gzip';
/** For the rest of a body that was refused, so that its sender reads why. */
const LINGER_MS = 30_000;

/** Leaves archives to the routes that take them, as streams, and refuses them everywhere else like any body that is not JSON. */
export function streamArchivesAt(server: FastifyInstance, ...addresses: string[]): void {
  const takes = (url: string | undefined): boolean => addresses.includes(url ?? '');
  server.addContentTypeParser(ARCHIVE, (request, _body, done) => {
    if (takes(request.routeOptions.url)) done(null, undefined);
    else done(new SandgateError('unsupported_media_type', 'the request body must be application/json'));
  });
  server.addHook('onResponse', (request, _reply, done) => {
    const { raw } = request;
    if (takes(request.routeOptions.url) && !raw.complete) {
      const cut = setTimeout(() => raw.destroy(), LINGER_MS).unref();
      raw.once('close', () => clearTimeout(cut));
      raw.resume();
    }
    done();
  });
}
