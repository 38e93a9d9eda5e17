import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { toSandgateError } from '../http/error.filter.js';
import { RunnerGuard } from './auth/runner.guard.js';
import type { RunnerRoute } from './auth/runner-caller.js';
import { BodyBudget, readRunnerBody, type RunnerBody } from './body/runner-body.js';
import { GatewayObserver } from './llm/gateway-observer.js';
import { retryAdvice } from './llm/refusal.js';
import type { RunnerEndpoint } from './routes/runner-endpoint.js';

const PREFIX = '/internal';

/**
 * The runner plane as Fastify routes of its own, beside the framework's: the guard runs before the body is read, bodies keep
 * prototype keys and large numbers, and failures are `{"error"}` (docs/design/runner.md).
 */
@Injectable()
export class RunnerPlane {
  private readonly responses = new WeakMap<IncomingMessage, ServerResponse>();

  constructor(
    private readonly config: ApiConfig,
    private readonly guard: RunnerGuard,
    private readonly bodies: BodyBudget,
    private readonly logger: PinoLogger,
    private readonly gateway: GatewayObserver,
  ) {}

  /** Registers every route under both path forms. Call before the server listens. */
  register(instance: FastifyInstance, endpoints: RunnerEndpoint[]): void {
    instance.register(
      (plane, _options, done) => {
        plane.removeAllContentTypeParsers();
        plane.addContentTypeParser('*', async (request: FastifyRequest) => this.readBody(request));
        plane.addHook('onRequest', async (request, reply) => {
          this.responses.set(request.raw, reply.raw);
          // Every body is read as JSON; one whose media type is malformed would be answered before any handler.
          request.raw.headers['content-type'] = undefined;
          const route = request.routeOptions.config.plane;
          if (route !== undefined) await this.guard.admit(request, route);
        });
        plane.setErrorHandler((error, request, reply) => this.answerFailure(error, request, reply));
        plane.setNotFoundHandler((request, reply) =>
          this.answerFailure(new SandgateError('not_found', 'not found'), request, reply),
        );
        for (const endpoint of endpoints) for (const url of pathsOf(endpoint)) this.addRoute(plane, url, endpoint);
        done();
      },
      { prefix: PREFIX },
    );
  }

  private addRoute(plane: FastifyInstance, url: string, endpoint: RunnerEndpoint): void {
    plane.route({
      method: endpoint.method,
      url,
      config: { plane: endpoint.route },
      // No browser ever reads this plane, and the gate answers thousands of requests a second.
      helmet: false,
      handler: async (request, reply) => {
        const answer = await endpoint.handle(request, reply);
        return answer === undefined ? reply : answer;
      },
    });
  }

  private async readBody(request: FastifyRequest): Promise<RunnerBody> {
    const response = this.responses.get(request.raw);
    if (response === undefined) throw new TypeError('a body was read before its request was admitted');
    const route: RunnerRoute | undefined = request.routeOptions.config.plane;
    const ceiling = this.config.http.maxRequestBodyBytes;
    const body = await readRunnerBody(request.raw, response, {
      maxBytes: Math.min(route?.maxBodyBytes ?? ceiling, ceiling),
      maxValues: route?.maxBodyValues,
      budget: this.bodies,
    });
    if (body.kind === 'unreadable' && route?.answersUnreadableBody !== true) throw body.failure;
    return body;
  }

  private answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const failure = toSandgateError(error);
    if (failure.code === 'internal')
      this.logger.error({ err: error, reqId: request.id }, 'a request of the runner plane failed');
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    if (request.url.startsWith(`${PREFIX}/llm`)) {
      this.gateway.refused(failure.code);
      if (retryAdvice(failure) === 'final') reply.header('x-should-retry', 'false');
    }
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
    if (failure.httpStatus === 401) reply.header('www-authenticate', 'Bearer');
    void reply.status(failure.httpStatus).type('application/json').send({ error: failure.message });
  }
}

function pathsOf(endpoint: RunnerEndpoint): string[] {
  const paths = endpoint.path.endsWith('/*') ? [endpoint.path.slice(0, -2), endpoint.path] : [endpoint.path];
  return endpoint.ofSession ? [...paths, ...paths.map((path) => `/sessions/:id${path}`)] : paths;
}
