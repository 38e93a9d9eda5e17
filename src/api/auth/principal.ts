import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import type { PermissionName } from './permission.decorator.js';

/** Who calls, resolved from the verified credential alone: no header, path or body ever selects an organization (chapter 60 §2). */
export interface Principal {
  kind: 'operator';
  organizationId: string;
  /** What `decided_by` and the invocation's `actor` say about this caller. */
  name: string;
  permissions: ReadonlySet<PermissionName>;
}

const PRINCIPALS = new WeakMap<FastifyRequest, Principal>();

export function rememberPrincipal(request: FastifyRequest, principal: Principal): void {
  PRINCIPALS.set(request, principal);
}

export function principalOf(request: FastifyRequest): Principal {
  const principal = PRINCIPALS.get(request);
  if (principal === undefined) throw new SandgateError('unauthorized', 'unauthorized');
  return principal;
}

/** The authenticated caller as a handler parameter. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
