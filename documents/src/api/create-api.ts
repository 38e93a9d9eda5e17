import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import helmet from '@fastify/helmet';
import { NotFoundException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Foundation } from './foundation/foundation.module.js';
import { readFormsAt, readJsonBodies } from './http/bodies.js';
import { answerClientError } from './http/client-error.js';
import { Door } from './http/door.js';
import { errorAnswer, toDocsvcError } from './http/error-body.js';
import { measureRequests } from './http/request-metrics.js';
import { RouteTable } from './http/route-table.js';
import { builtDocument } from './openapi/built-document.js';
import { OpenApiHolder } from './openapi/openapi-holder.js';
import { dropRests, leaveBodiesAt, leaveFileFormsAt, takeLargeJsonAt } from './http/streamed-bodies.js';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** Longer than any id or name, so that a longer one is answered as not found and not as a malformed address. */
const MAX_PATH_PARAMETER_CHARS = 16_384;

/** 32 MiB in Base64, and what is said of them. */
const MAX_ONE_SHOT_JSON_BYTES = 45 * 1024 * 1024;

/** Builds the API, ready to listen. */
export async function createApi(foundation: Foundation): Promise<NestFastifyApplication> {
  const routes = new RouteTable();
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forProcess(foundation, routes),
    createAdapter(foundation, routes),
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
  const server = app.getHttpAdapter().getInstance();
  // After the log and the headers of every answer, and before any body is read.
  server.addHook('onRequest', (request, reply) => app.get(Door).admit(request, reply));
  await app.init();
  app.useLogger(app.get(Logger));
  await server.ready();
  app.get(OpenApiHolder).set(builtDocument());
  return app;
}

function createAdapter({ config, metrics }: Foundation, routes: RouteTable): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: config.http.maxJsonBytes,
    trustProxy: config.http.trustedProxies.length > 0 && [...config.http.trustedProxies],
    routerOptions: { maxParamLength: MAX_PATH_PARAMETER_CHARS },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
    },
    forceCloseConnections: true,
    // Parts of uploads are long by design; what stands still is ended by the routes that read them.
    requestTimeout: 0,
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => answerClientError(error, socket),
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const failure = toDocsvcError(error);
      reply.header('x-request-id', request.id);
      void reply.status(failure.httpStatus).type('application/json').send(errorAnswer(failure, request.id));
    },
  });
  const server = adapter.getInstance<FastifyInstance>();
  readJsonBodies(server);
  readFormsAt(server, '/oauth/token');
  leaveBodiesAt(server, '/api/uploads/:id/parts/:partNumber');
  leaveFileFormsAt(server, ['/api/projects/:id/documents', '/api/projects/:id/schemas/infer']);
  takeLargeJsonAt(server, '/api/projects/:id/documents', MAX_ONE_SHOT_JSON_BYTES);
  dropRests(server);
  if (metrics !== undefined) measureRequests(server, metrics);
  server.addHook('onRoute', ({ url, method }) => routes.add(url, method));
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    // Before any body is read: an unknown address needs none, and a wrong method must not fail because its body is missing.
    done(request.is404 ? new NotFoundException() : undefined);
  });
  return adapter;
}
