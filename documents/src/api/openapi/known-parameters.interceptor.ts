import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { isJsonObject } from '../../../../src/domain/json.js';
import { invalidMembers } from '../../domain/errors.js';
import { OpenApiHolder } from './openapi-holder.js';
import { findCaller } from '../http/caller.decorator.js';

/**
 * Refuses query parameters that the description of a route does not name, and a body where it takes none; members of bodies are held to
 * their DTO. What has no token is left to its own rules.
 */
@Injectable()
export class KnownParametersInterceptor implements NestInterceptor {
  constructor(private readonly openApi: OpenApiHolder) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const operation = this.openApi.find(method, request.routeOptions.url ?? '');
    if (operation === null || findCaller(request) === null) return next.handle();
    const unknown = Object.keys(request.query ?? {}).filter((name) => !operation.query.has(name));
    const given = operation.takesBody || !isJsonObject(request.body) ? [] : Object.keys(request.body);
    const details = [
      ...unknown.map((path) => ({ path, code: 'unknown_parameter', message: 'is not a parameter of this request' })),
      ...given.map((path) => ({
        path,
        code: 'unknown_member',
        message: 'is not a member of this request, which has none',
      })),
    ];
    if (details.length > 0) throw invalidMembers(details);
    return next.handle();
  }
}
