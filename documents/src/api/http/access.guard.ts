import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { admitRequest, requireScope, type RateKind, type RateState } from '../../core/access/admit-request.js';
import { Record } from '../../core/record/record.js';
import { DocsvcError } from '../../domain/errors.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import { setCaller } from './caller.decorator.js';
import { admittanceOf } from './declared-routes.js';
import { RATE_METADATA } from './scopes.decorator.js';

const BEARER = /^Bearer +([^ ]+) *$/i;

/**
 * Stands before every route: who sent the token (DI-054), whether one more request fits into its rates, and whether it has the scope that
 * the route declares (DI-060). A route that declares nothing admits nobody.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly record: Record,
    private readonly config: ApiConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const admittance = admittanceOf(handler);
    if (admittance.by === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const kind = (Reflect.getMetadata(RATE_METADATA, handler) as RateKind | undefined) ?? 'requests';
    const { rates } = this.config;
    const admission = await admitRequest(
      this.record,
      { requests: rates.requestsPerMin, searches: rates.searchesPerMin },
      { token: tokenOf(request), kind, requestId: request.id },
    );
    if (admission.verdict === 'unknown' || admission.verdict === 'expired') throw refusalOf(admission.verdict);
    sayRate(http.getResponse<FastifyReply>(), admission.rate);
    if (admission.verdict === 'limited') {
      const { rate, retrySeconds } = admission;
      throw new DocsvcError(
        'rate_limited',
        `this credential may send ${rate.limit} ${kind} a minute; wait ${retrySeconds} s`,
        { retryAfterSeconds: retrySeconds },
      );
    }
    if (admittance.by === 'nothing')
      throw new DocsvcError('forbidden', 'this route declares no scope and admits nobody');
    if (admittance.scope !== 'any') requireScope(admission.caller, admittance.scope);
    setCaller(request, admission.caller);
    return true;
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
