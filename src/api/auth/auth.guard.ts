import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../domain/errors.js';
import { AuthTerms } from './auth-terms.js';
import { CallerGuard, OperatorGuard, TriggerTokenGuard } from './credential.guards.js';
import { unauthorized } from './credentials.js';
import { admissionOf } from './declared-routes.js';
import type { BrowserRefusal, PermissionName } from './permission.decorator.js';
import { principalOf, type Principal } from './principal.js';

/**
 * Stands before every route of the public plane: asks the guard of the credentials that the route takes, then for what the route declares.
 * A route that declares nothing admits nobody.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly terms: AuthTerms,
    private readonly callers: CallerGuard,
    private readonly operator: OperatorGuard,
    private readonly triggerTokens: TriggerTokenGuard,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const admission = admissionOf([context.getHandler(), context.getClass()]);
    if (admission.by === 'public') return true;
    if (admission.by === 'trigger-token') return this.triggerTokens.canActivate(context);
    if (admission.by === 'operator') return this.operator.canActivate(context);
    await this.callers.canActivate(context);
    const principal = principalOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (principal.kind === 'operator' && this.terms.requireSso) throw unauthorized();
    if (admission.by === 'permission' && admission.browserOnly) requireBrowser(principal, admission.browserOnly);
    requirePermission(principal, admission.by === 'permission' ? admission.permission : undefined);
    return true;
  }
}

/** @throws SandgateError of the code that the route names, for a caller without a browser session */
function requireBrowser(principal: Principal, refusal: BrowserRefusal): void {
  if (principal.kind === 'user' && principal.authKind === 'browser') return;
  throw new SandgateError(refusal, 'this needs a browser session: sign in and do it there');
}

/** @throws SandgateError `forbidden` naming what the caller lacks; a route without a declaration admits nobody */
export function requirePermission(principal: Principal, needed: PermissionName | undefined): void {
  if (needed !== undefined && principal.permissions.has(needed)) return;
  throw new SandgateError('forbidden', `this credential lacks the permission ${needed ?? 'for this route'}`);
}
