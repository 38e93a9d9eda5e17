import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { AuthTerms } from './auth-terms.js';
import { CallerGuard, OperatorGuard, TriggerTokenGuard } from './credential.guards.js';
import { unauthorized } from './credentials.js';
import {
  BROWSER_SESSION_METADATA,
  OPERATOR_PLANE_METADATA,
  PERMISSION_METADATA,
  PUBLIC_METADATA,
  TRIGGER_TOKEN_METADATA,
  type BrowserRefusal,
  type PermissionName,
} from './permission.decorator.js';
import { principalOf, type Principal } from './principal.js';

/**
 * Stands before every route of the public plane: asks the guard of the credentials that the route takes, then for what the route declares.
 * A route that declares nothing admits nobody.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly terms: AuthTerms,
    private readonly callers: CallerGuard,
    private readonly operator: OperatorGuard,
    private readonly triggerTokens: TriggerTokenGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const declared = <T>(metadata: string): T | undefined =>
      this.reflector.getAllAndOverride<T | undefined>(metadata, [context.getHandler(), context.getClass()]);
    if (declared(PUBLIC_METADATA) !== undefined) return true;
    if (declared(TRIGGER_TOKEN_METADATA) === true) return this.triggerTokens.canActivate(context);
    if (declared(OPERATOR_PLANE_METADATA) === true) return this.operator.canActivate(context);
    await this.callers.canActivate(context);
    const principal = principalOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (principal.kind === 'operator' && this.terms.requireSso) throw unauthorized();
    requireBrowser(principal, declared<BrowserRefusal>(BROWSER_SESSION_METADATA));
    requirePermission(principal, declared<PermissionName>(PERMISSION_METADATA));
    return true;
  }
}

/** @throws SandgateError of the code that the route names, for a caller without a browser session */
function requireBrowser(principal: Principal, refusal: BrowserRefusal | undefined): void {
  if (refusal === undefined || (principal.kind === 'user' && principal.authKind === 'browser')) return;
  throw new SandgateError(refusal, 'this needs a browser session: sign in and do it there');
}

/** @throws SandgateError `forbidden` naming what the caller lacks; a route without a declaration admits nobody */
export function requirePermission(principal: Principal, needed: PermissionName | undefined): void {
  if (needed !== undefined && principal.permissions.has(needed)) return;
  throw new SandgateError('forbidden', `this credential lacks the permission ${needed ?? 'for this route'}`);
}
