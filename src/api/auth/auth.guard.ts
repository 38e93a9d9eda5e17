import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { Database } from '../../core/record/database.js';
import { findTriggerToken, type TriggerTokenInfo } from '../../core/triggers/trigger-tokens.js';
import { readActiveMember } from '../../core/identity/members.js';
import { AdminToken } from './admin-token.js';
import { readBearer } from './credentials.js';
import { DeploymentOrganization } from './deployment-organization.js';
import {
  PERMISSION_METADATA,
  PERMISSIONS,
  PUBLIC_METADATA,
  TRIGGER_TOKEN_METADATA,
  type PermissionName,
} from './permission.decorator.js';
import { rememberPrincipal, rememberTriggerToken, type Principal, type UserPrincipal } from './principal.js';
import { permissionsOf } from './role-permissions.js';
import { UserCredentials, type UserIdentity } from './user-credentials.js';

/** Authenticates every route of the public plane, and refuses a route that declares neither its permission nor why it is public. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly adminToken: AdminToken,
    private readonly organization: DeploymentOrganization,
    private readonly users: UserCredentials,
    private readonly database: Database,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<string>(PUBLIC_METADATA, targets) !== undefined) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.reflector.getAllAndOverride<boolean>(TRIGGER_TOKEN_METADATA, targets) === true) {
      rememberTriggerToken(request, await this.triggerToken(request));
      return true;
    }
    const principal = await this.authenticate(request);
    const needed = this.reflector.getAllAndOverride<PermissionName>(PERMISSION_METADATA, targets);
    requirePermission(principal, needed);
    rememberPrincipal(request, principal);
    return true;
  }

  private async triggerToken(request: FastifyRequest): Promise<TriggerTokenInfo> {
    const bearer = readBearer(request.headers);
    const token = bearer === null ? null : await findTriggerToken(this.database.pool, bearer);
    const { id } = request.params as { id: string };
    if (token === null || token.subscriptionId !== id.toLowerCase()) throw unauthorized();
    return token;
  }

  private async authenticate(request: FastifyRequest): Promise<Principal> {
    const bearer = readBearer(request.headers);
    if (bearer === null) throw unauthorized();
    if (this.adminToken.matches(bearer)) {
      return {
        kind: 'operator',
        organizationId: this.organization.id,
        name: 'operator',
        permissions: ALL_PERMISSIONS,
      };
    }
    const identity = await this.users.find(bearer);
    if (identity === null) throw unauthorized();
    return this.userPrincipal(identity);
  }

  /** The user as the database has it at this request; null for one who is no longer an active member. */
  private async userPrincipal({ organizationId, userId }: UserIdentity): Promise<UserPrincipal> {
    const member = await this.database.withTenant(organizationId, (tx) => readActiveMember(tx, userId));
    if (member === null) throw unauthorized();
    const { role } = member;
    return { kind: 'user', organizationId, userId, role, name: userId, permissions: permissionsOf(role) };
  }
}

function unauthorized(): SandgateError {
  return new SandgateError('unauthorized', 'unauthorized');
}

/** @throws SandgateError `forbidden` naming what the caller lacks; a route without a declaration admits nobody */
export function requirePermission(principal: Principal, needed: PermissionName | undefined): void {
  if (needed !== undefined && principal.permissions.has(needed)) return;
  throw new SandgateError('forbidden', `this credential lacks the permission ${needed ?? 'for this route'}`);
}

const ALL_PERMISSIONS: ReadonlySet<PermissionName> = new Set(PERMISSIONS);
