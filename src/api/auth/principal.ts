import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { highestRole, type Role } from '../../domain/identity/role.js';
import type { Viewer } from '../../core/connections/viewer.js';
import type { LiveMember } from '../../core/identity/web-sessions.js';
import type { TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import { unauthorized } from './credentials.js';
import type { PermissionName } from './permission.decorator.js';
import { permissionsOf } from './role-permissions.js';

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

/** The credential by which a person came. */
export type PersonalCredential = { authKind: 'browser'; sessionId: string } | { authKind: 'pat'; tokenId: string };

interface Person extends Caller {
  kind: 'user';
  userId: string;
  membershipId: string;
  /** The highest of the membership's roles. */
  role: Role;
  roles: readonly Role[];
}

/** A person with an active membership; roles and permissions are those of this request. */
export type UserPrincipal = Person & PersonalCredential;

export type BrowserPrincipal = Extract<UserPrincipal, { authKind: 'browser' }>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guard of the route. */
    principal?: Principal;
    /** Set by the guard of a route that tokens of triggers open. */
    triggerToken?: TriggerTokenInfo;
  }
}

/** @returns null for a member whose roles this version does not know */
export function memberPrincipal(member: LiveMember, credential: PersonalCredential): UserPrincipal | null {
  const { organizationId, userId, membershipId, roles } = member;
  const role = highestRole(roles);
  if (role === null) return null;
  const permissions = permissionsOf(roles);
  return { kind: 'user', organizationId, userId, membershipId, role, roles, name: userId, permissions, ...credential };
}

/** @throws SandgateError `unauthorized` on a route whose guard let nobody in */
export function principalOf({ principal }: FastifyRequest): Principal {
  if (principal === undefined) throw unauthorized();
  return principal;
}

function userOf(request: FastifyRequest): UserPrincipal {
  const principal = principalOf(request);
  if (principal.kind !== 'user') throw unauthorized();
  return principal;
}

function browserOf(request: FastifyRequest): BrowserPrincipal {
  const principal = userOf(request);
  if (principal.authKind !== 'browser') throw unauthorized();
  return principal;
}

function triggerTokenOf({ triggerToken }: FastifyRequest): TriggerTokenInfo {
  if (triggerToken === undefined) throw unauthorized();
  return triggerToken;
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

/** The person who calls, on routes whose permission the operator does not have. */
export const CurrentUser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  userOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The person at the browser, on routes that want a browser session. */
export const CurrentBrowser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  browserOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

/** The token of the path's trigger as a handler parameter, on routes that it opens. */
export const CurrentTriggerToken = createParamDecorator((_: unknown, context: ExecutionContext) =>
  triggerTokenOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
