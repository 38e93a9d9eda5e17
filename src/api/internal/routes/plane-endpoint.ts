import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PlaneRoute } from '../auth/runner-caller.js';

/** One route of the runner plane. What `handle` resolves to is the JSON answer; undefined means that it answered itself. */
export interface PlaneEndpoint {
  method: 'GET' | 'POST';
  /** Below `/internal` and, with `ofSession`, below `/internal/sessions/{id}` as well. */
  path: string;
  ofSession: boolean;
  route: PlaneRoute;
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}
