import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import helmet from '@fastify/helmet';
import { NotFoundException, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import { Tracing } from '../platform/telemetry/tracing.js';
import type { Foundation } from './foundation/foundation.module.js';
import { answerClientError } from './http/client-error.js';
import { toSandgateError } from './http/error.filter.js';
import { streamArchivesAt } from './http/archive-bodies.js';
import { keepBytesBelow } from './http/webhook-bodies.js';
import { readFormsAt } from './http/form-bodies.js';
import { cameToRunnerPlane } from './internal/auth/plane-peer.js';
import { readJsonBodiesOnly } from './http/json-bodies.js';
import { traceRequests } from './http/request-spans.js';
import { RouteTable } from './http/route-table.js';
import { builtDocument } from './openapi/built-document.js';
import { OpenApiHolder } from './openapi/openapi-holder.js';

/** Pages of apps were once reached by the name of one code host; clients that still say it are understood. */
const FORMER_APP_PATH = /^\/v1\/github\/app(?=[/?]|$)/;
/** Pages of ours that send a form, and the routes of RFC 8628 and RFC 7009, which take one as well as JSON. */
const FORMS = [
  '/v1/oauth/go',
  '/v1/auth/device',
  '/v1/auth/device/confirm',
  '/v1/auth/device/revoke',
  '/v1/auth/device/token',
];
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Longer than any id or name, so that a longer one is answered as not found and not as a malformed address. */
const MAX_PATH_PARAMETER_CHARS = 16_384;

/** Builds the API, ready to listen. `further` are the modules of other planes that share the server. */
export async function createApi(
  foundation: Foundation,
  further: DynamicModule['imports'] = [],
): Promise<NestFastifyApplication> {
  const routes = new RouteTable();
  const adapter = createAdapter(foundation, routes);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forProcess(foundation, routes, further),
    adapter,
    {
      bodyParser: false,
      // A line per module and route at every boot says nothing; failures are thrown and logged by whoever boots.
      logger: false,
      abortOnError: false,
    },
  );
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    frameguard: { action: 'deny' },
  });
  await app.init();
  app.useLogger(app.get(Logger));
  await app.getHttpAdapter().getInstance().ready();
  app.get(OpenApiHolder).set(builtDocument());
  return app;
}

function withoutFormerName(url: string): string {
  return url.replace(FORMER_APP_PATH, '/v1/codehost/app');
}

function createAdapter(foundation: Foundation, routes: RouteTable): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: foundation.config.http.maxRequestBodyBytes,
    rewriteUrl: ({ url = '' }) => withoutFormerName(url),
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_CHARS },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    forceCloseConnections: true,
    // Streams, permission waits and model calls are long by design (docs/design/api-conventions.md).
    requestTimeout: 0,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const failure = toSandgateError(error);
      reply.header('x-request-id', request.id);
      void reply.status(failure.httpStatus).type('application/json').send({ error: failure.message });
    },
  });
  const hasInternalListener = foundation.config.http.internalBind !== null;
  const server = adapter.getInstance<FastifyInstance>();
  server.decorate('trustForwardedFor', foundation.config.auth.trustForwardedFor);
  readJsonBodiesOnly(server);
  readFormsAt(server, ...FORMS);
  streamArchivesAt(server, '/v1/workspaces');
  keepBytesBelow(server, '/v1/ingress/', foundation.config.timing.webhookBodyMs);
  server.addHook('onRoute', ({ url, method, config }) => {
    if (method !== 'HEAD' || config?.notByHead !== true) routes.add(url, method);
  });
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    const isPlane = request.routeOptions.config.plane !== undefined || request.url.startsWith('/internal/');
    if (hasInternalListener && isPlane && !cameToRunnerPlane(request.raw.socket)) {
      // Exactly the answer of a route that does not exist; an answer of the runner plane would reveal it.
      void reply.status(404).type('application/json').send({ error: 'not found' });
      return;
    }
    // Before any body is read: an unknown route needs none, and a wrong method must not fail because its body is missing.
    const isLook = request.method === 'HEAD' && request.routeOptions.config.notByHead === true;
    const isUnknown = (request.is404 && !isPlane) || isLook;
    const allowed = isUnknown && request.method === 'OPTIONS' ? routes.allowed(request.url) : null;
    if (allowed !== null) {
      void reply.status(204).header('allow', allowed).send();
      return;
    }
    done(isUnknown ? new NotFoundException() : undefined);
  });
  traceRequests(server, foundation.tracing ?? Tracing.off);
  return adapter;
}
