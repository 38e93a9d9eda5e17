import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { OpenApiHolder } from './openapi-holder.js';

/**
 * Holds every request of the public plane to the members and parameters that the interface description names, after the caller was
 * admitted and before anything is read. What the description leaves out (runner plane, pages of browsers) and what others call by
 * their own rules (`/.well-known`) stays open.
 */
@Injectable()
export class KnownMembersInterceptor implements NestInterceptor {
  constructor(private readonly openApi: OpenApiHolder) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = request.routeOptions.url ?? '';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const { knownMembers } = this.openApi;
    const path = route.replace(/:(\w+)/g, '{$1}');
    const operation = path.startsWith('/v1/') ? knownMembers.find(`${method} ${path}`) : undefined;
    if (operation !== undefined) {
      knownMembers.refuseUnknownQuery(operation, request.query);
      knownMembers.refuseUnknownMembers(operation, request.body);
    }
    return next.handle();
  }
}
