import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RunnerRoute } from '../auth/runner-caller.js';

/** One route of the runner plane. What `handle` resolves to is the JSON answer; undefined means that it answered itself. */
export interface RunnerEndpoint {
  method: 'GET' | 'POST';
  /** Below `/internal` and, with `ofSession`, below `/internal/sessions/{id}` as well. */
  path: string;
  ofSession: boolean;
  route: RunnerRoute;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}
