import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { AdminToken } from './admin-token.js';
import { readBearer } from './credentials.js';
import { DeploymentOrganization } from './deployment-organization.js';
import { PERMISSION_METADATA, PERMISSIONS, PUBLIC_METADATA, type PermissionName } from './permission.decorator.js';
import { rememberPrincipal, type Principal } from './principal.js';

/** Authenticates every route of the public plane, and refuses one that says neither who may call it nor why anybody may. */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly adminToken: AdminToken,
    private readonly organization: DeploymentOrganization,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<string>(PUBLIC_METADATA, targets) !== undefined) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = this.authenticate(request);
    const needed = this.reflector.getAllAndOverride<PermissionName>(PERMISSION_METADATA, targets);
    requirePermission(principal, needed);
    rememberPrincipal(request, principal);
    return true;
  }

  private authenticate(request: FastifyRequest): Principal {
    const bearer = readBearer(request.headers);
    if (bearer === null || !this.adminToken.matches(bearer)) throw new SandgateError('unauthorized', 'unauthorized');
    return {
      kind: 'operator',
      organizationId: this.organization.id,
      name: 'operator',
      permissions: ALL_PERMISSIONS,
    };
  }
}

/** @throws SandgateError `forbidden` naming what the caller lacks; a route that names nothing admits nobody */
export function requirePermission(principal: Principal, needed: PermissionName | undefined): void {
  if (needed !== undefined && principal.permissions.has(needed)) return;
  throw new SandgateError('forbidden', `this credential lacks the permission ${needed ?? 'for this route'}`);
}

const ALL_PERMISSIONS: ReadonlySet<PermissionName> = new Set(PERMISSIONS);
