import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import type { Role } from '../../domain/identity/role.js';
import type { Viewer } from '../../core/connections/viewer.js';
import type { TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import type { PermissionName } from './permission.decorator.js';

/**
 * Who calls, resolved from the verified credential alone: no header, path or body ever selects an organization or a user
 * (docs/design/identity.md).
 */
export type Principal = OperatorPrincipal | UserPrincipal;

interface Caller {
  organizationId: string;
  /** What `decided_by` and the invocation's `actor` say about this caller: `operator`, or the user's id. */
  name: string;
  permissions: ReadonlySet<PermissionName>;
}

/** The admin token. It has no personal identity. */
export interface OperatorPrincipal extends Caller {
  kind: 'operator';
}

/** A person with an active membership; role and permissions are those of this request. */
export interface UserPrincipal extends Caller {
  kind: 'user';
  userId: string;
  /** The highest of the membership's roles. */
  role: Role;
}

const PRINCIPALS = new WeakMap<FastifyRequest, Principal>();

export function rememberPrincipal(request: FastifyRequest, principal: Principal): void {
  PRINCIPALS.set(request, principal);
}

const TRIGGER_TOKENS = new WeakMap<FastifyRequest, TriggerTokenInfo>();

export function rememberTriggerToken(request: FastifyRequest, token: TriggerTokenInfo): void {
  TRIGGER_TOKENS.set(request, token);
}

export function principalOf(request: FastifyRequest): Principal {
  const principal = PRINCIPALS.get(request);
  if (principal === undefined) throw new SandgateError('unauthorized', 'unauthorized');
  return principal;
}

function triggerTokenOf(request: FastifyRequest): TriggerTokenInfo {
  const token = TRIGGER_TOKENS.get(request);
  if (token === undefined) throw new SandgateError('unauthorized', 'unauthorized');
  return token;
}

/** The user's id, or null for a caller without a personal identity. */
export function userIdOf(principal: Principal): string | null {
  return principal.kind === 'user' ? principal.userId : null;
}

/** The caller as a viewer of connections. */
export function viewerOf(principal: Principal): Viewer {
  const { organizationId } = principal;
  return principal.kind === 'operator'
    ? { organizationId, userId: null, role: 'operator' }
    : { organizationId, userId: principal.userId, role: principal.role };
}

/** The authenticated caller as a handler parameter. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext) =>
  principalOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The token of the path's trigger as a handler parameter, on routes that it opens. */
export const CurrentTriggerToken = createParamDecorator((_: unknown, context: ExecutionContext) =>
  triggerTokenOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
