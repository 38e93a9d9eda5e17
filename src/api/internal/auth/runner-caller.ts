import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Audience } from '../../../core/runs/tokens.js';

/** Who calls the runner plane: the run that the bearer belongs to. The id in the path says nothing (docs/design/runner.md). */
export interface RunnerCaller {
  tokenSha256: string;
  organizationId: string;
  runId: string;
  audience: Audience;
  /** False for an expired or revoked token, which only `/result` lets in. */
  live: boolean;
}

/** What a route of the runner plane declares about itself. */
export interface RunnerRoute {
  audience: Audience;
  /** Let an expired or revoked token of the right audience in: a runner must learn that its run is over. */
  admitsDeadTokens?: boolean;
  /** Model clients send their key as `x-api-key`, which wins over the bearer. */
  acceptsApiKey?: boolean;
  /** Largest body in bytes; the deployment's ceiling when absent. */
  maxBodyBytes?: number;
  /** Most JSON values in a body; each costs this process time that other runs wait for. Unbounded when absent. */
  maxBodyValues?: number;
  /** The handler answers for an unreadable body itself instead of a 4xx. */
  answersUnreadableBody?: boolean;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    plane?: RunnerRoute;
  }
}

const callers = new WeakMap<IncomingMessage, RunnerCaller>();

export function rememberCaller(request: FastifyRequest, caller: RunnerCaller): void {
  callers.set(request.raw, caller);
}

/** The caller that the guard admitted; every handler of the plane runs behind the guard. */
export function callerOf(request: FastifyRequest): RunnerCaller {
  const caller = callers.get(request.raw);
  if (caller === undefined) throw new TypeError('a handler of the runner plane ran without its guard');
  return caller;
}
