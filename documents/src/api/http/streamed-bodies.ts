import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notJson } from './bodies.js';

const FILE_FORM = 'multipart/form-data';
/** A name that no sender has a reason to use: bodies of these routes get it here, whatever their senders call them. */
const AS_SENT = 'application/x-docsvc-as-sent';
/** For the rest of a body that was refused, so that its sender reads why. */
const LINGER_MS = 30_000;

/** Leaves the bodies that are put to this route on the connection, for whoever streams them from there. */
export function leaveBodiesAt(server: FastifyInstance, route: string): void {
  const isOne = ({ method, routeOptions }: FastifyRequest): boolean => method === 'PUT' && routeOptions.url === route;
  server.addHook('onRequest', (request, _reply, done) => {
    if (isOne(request)) request.headers['content-type'] = AS_SENT;
    done();
  });
  server.addContentTypeParser(AS_SENT, (request, _body, done) => {
    if (isOne(request)) done(null, undefined);
    else done(notJson());
  });
}

/** Leaves forms with files on the connection at these routes, and refuses them everywhere else. */
export function leaveFileFormsAt(server: FastifyInstance, routes: readonly string[]): void {
  server.addContentTypeParser(FILE_FORM, (request, _body, done) => {
    if (routes.includes(request.routeOptions.url ?? '')) done(null, {});
    else done(notJson());
  });
}

/** Takes larger JSON at this route than at others. */
export function takeLargeJsonAt(server: FastifyInstance, route: string, maxBytes: number): void {
  server.addHook('onRoute', (options) => {
    if (options.url === route && options.method === 'POST') options.bodyLimit = maxBytes;
  });
}

/** Reads and drops what comes after an answer, for a while: of requests that were refused before their bodies were read, too. */
export function dropRests(server: FastifyInstance): void {
  server.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) {
      const cut = setTimeout(() => raw.destroy(), LINGER_MS).unref();
      raw.once('close', () => clearTimeout(cut));
      raw.resume();
    }
    done();
  });
}
