import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { readRunnerToken, refuseCookieBesideBearer } from './bearer.js';
import { runOfPlaneSocket } from './plane-peer.js';
import { rememberCaller } from './runner-caller.js';
import type { PlaneRoute } from './runner-caller.js';
import { RunnerTokens } from './runner-tokens.js';

/**
 * Lets a request of the runner plane in, before its body is read: an unknown token 401, then the audience 403
 * `wrong_audience` before anything else is asked, an expired or revoked token 401, the plane socket of another run 403
 * `wrong_run` (docs/design/runner.md, docs/design/sandbox.md).
 */
@Injectable()
export class PlaneGuard {
  constructor(private readonly tokens: RunnerTokens) {}

  async admit(request: FastifyRequest, route: PlaneRoute): Promise<void> {
    const token = readRunnerToken(request.headers, route.acceptsApiKey === true);
    const believed = route.audience === 'tool' || route.audience === 'llm';
    const caller = token === null ? null : await this.tokens.find(token, believed);
    if (caller === null) throw new SandgateError('unauthorized', 'unauthorized');
    if (caller.audience !== route.audience) throw new SandgateError('wrong_audience', 'wrong_audience');
    if (route.admitsDeadTokens !== true && !caller.live) throw new SandgateError('unauthorized', 'unauthorized');
    const planeRun = runOfPlaneSocket(request.raw.socket);
    if (planeRun !== undefined && planeRun !== caller.sessionId) throw new SandgateError('wrong_run', 'wrong_run');
    refuseCookieBesideBearer(request.headers);
    rememberCaller(request, caller);
  }
}
