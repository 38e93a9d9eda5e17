import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Caller as CallerOfRequest } from '../../core/access/caller.js';

const CALLERS = new WeakMap<object, CallerOfRequest>();

/** Called by the guard that admitted the request. */
export function setCaller(request: FastifyRequest, caller: CallerOfRequest): void {
  CALLERS.set(request.raw, caller);
}

/** Null for a route that takes no token. */
export function findCaller(request: FastifyRequest): CallerOfRequest | null {
  return CALLERS.get(request.raw) ?? null;
}

/** Parameter of a handler: whoever sent the request. */
export const Caller = createParamDecorator((_data: unknown, context: ExecutionContext): CallerOfRequest => {
  const caller = findCaller(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === null) throw new Error('a public route has no caller');
  return caller;
});

export type Caller = CallerOfRequest;
