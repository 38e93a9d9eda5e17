import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitRequest, requireScope, type RateState } from '../../core/access/admit-request.js';
import { Record } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { setCaller } from './caller.decorator.js';
import { declaredRoutes, type DeclaredRoute } from './declared-routes.js';

const BEARER = /^Bearer +([^ ]+) *$/i;

/**
 * Stands before every route, and before its body is read, so that whoever may not call makes the service hold nothing: who sent the token
 * (DI-054), whether one more request fits into its rates, and whether it has the scope that the route declares (DI-060). A route that declares
 * nothing admits nobody.
 */
@Injectable()
export class Door {
  private known: ReadonlyMap<string, DeclaredRoute> | null = null;

  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
    private readonly modules: ModulesContainer,
  ) {}

  /** @throws DocsvcError `unauthenticated`, `token_expired`, `rate_limited`, `insufficient_scope`, `forbidden` */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const route = this.routeOf(request);
    if (route?.admittance.by === 'public') return;
    const kind = route?.rate ?? 'requests';
    const { rates } = this.config;
    const admission = await admitRequest(
      this.record,
      {
        requests: rates.requestsPerMin,
        searches: rates.searchesPerMin,
        schema_generations: rates.generationsPerMin,
      },
      { token: tokenOf(request), kind, requestId: request.id },
    );
    if (admission.verdict === 'unknown' || admission.verdict === 'expired') throw refusalOf(admission.verdict);
    sayRate(reply, admission.rate);
    if (admission.verdict === 'limited') {
      const { rate, retrySeconds } = admission;
      throw new DocsvcError(
        'rate_limited',
        `this credential may send ${rate.limit} ${kind.replace('_', ' ')} a minute; wait ${retrySeconds} s`,
        { retryAfterSeconds: retrySeconds },
      );
    }
    if (route?.admittance.by !== 'scope')
      throw new DocsvcError('forbidden', 'this route declares no scope and admits nobody');
    if (route.admittance.scope !== 'any') requireScope(admission.caller, route.admittance.scope);
    setCaller(request, admission.caller);
  }

  /** Where there is a GET there is a HEAD. */
  private routeOf({ method, routeOptions }: FastifyRequest): DeclaredRoute | undefined {
    this.known ??= new Map(declaredRoutes(this.modules).map((route) => [`${route.method} ${route.path}`, route]));
    return this.known.get(`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`);
  }
}

function refusalOf(verdict: 'unknown' | 'expired'): DocsvcError {
  if (verdict === 'unknown') return new DocsvcError('unauthenticated', 'the access token is unknown or revoked');
  return new DocsvcError('token_expired', 'the access token has expired; get a new one at /oauth/token');
}

function tokenOf({ headers }: FastifyRequest): string {
  const token = BEARER.exec(headers.authorization ?? '')?.[1];
  if (token !== undefined) return token;
  throw new DocsvcError('unauthenticated', 'send Authorization: Bearer and an access token; /oauth/token gives one');
}

function sayRate(reply: FastifyReply, { limit, remaining, resetSeconds }: RateState): void {
  reply.header('ratelimit-limit', String(limit));
  reply.header('ratelimit-remaining', String(remaining));
  reply.header('ratelimit-reset', String(resetSeconds));
}
