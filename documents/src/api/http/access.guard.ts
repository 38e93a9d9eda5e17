import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DocsvcError } from '../../domain/errors.js';
import { findCaller } from './caller.decorator.js';
import { admittanceOf } from './declared-routes.js';

/** Lets nobody reach a handler that is not public whom the door has not admitted (door.ts), whatever way the request came. */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (admittanceOf(context.getHandler()).by === 'public') return true;
    if (findCaller(context.switchToHttp().getRequest<FastifyRequest>()) !== null) return true;
    throw new DocsvcError('forbidden', 'this request came past the door');
  }
}
