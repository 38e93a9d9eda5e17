import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { actorOf } from './audit-actor.js';
import { principalOf } from './principal.js';

/** The caller as the audit log names them, as a handler parameter. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return actorOf(principalOf(request), request);
});
