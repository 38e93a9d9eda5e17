import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { SandgateError } from '../../../domain/errors.js';
import { Database } from '../../../core/record/database.js';
import { findRuns } from '../../../core/maintenance/sweeps.js';
import { digestRunToken, lookupRunToken } from '../../../core/runs/tokens.js';
import { hasWebCookie } from '../../auth/credentials.js';
import { runOfPlaneSocket } from './plane-peer.js';
import { rememberCaller, type RunnerRoute, type RunnerCaller } from './runner-caller.js';

/** How long a valid token is remembered. The gate and the reservation check it again in their own transaction. */
const REMEMBERED_MS = 2000;
const MAX_REMEMBERED = 10_000;

/** Finds the run behind a runner token. */
@Injectable()
export class RunnerTokens {
  private readonly remembered = new LRUCache<string, RunnerCaller>({
    max: MAX_REMEMBERED,
    ttl: REMEMBERED_MS,
    // Every look-up reads the clock.
    ttlResolution: 0,
  });

  constructor(private readonly database: Database) {}

  /** The caller, or null for an unknown token. A remembered answer is at most two seconds old. */
  async find(token: string, mayRemember: boolean): Promise<RunnerCaller | null> {
    const sha256 = digestRunToken(token);
    if (sha256 === null) return null;
    const known = mayRemember ? this.remembered.get(sha256) : undefined;
    if (known !== undefined) return known;
    const row = await lookupRunToken(this.database.pool, sha256);
    if (row === null) return null;
    const caller: RunnerCaller = {
      tokenSha256: sha256,
      organizationId: row.organizationId,
      runId: row.runId,
      audience: row.audience,
      live: !row.expired && !row.revoked,
    };
    if (caller.live) this.remembered.set(sha256, caller);
    else this.remembered.delete(sha256);
    return caller;
  }

  /** The run behind a plane socket; null when it is gone. */
  async ofSocket(runId: string): Promise<Pick<RunnerCaller, 'organizationId' | 'runId'> | null> {
    const [run] = await findRuns(this.database.pool, [runId]);
    return run ?? null;
  }
}

/** A request as the guard sees it. */
export interface Knock {
  headers: IncomingHttpHeaders;
  socket: Socket;
}

/**
 * Lets a request of the runner plane in, before its body is read: an unknown token 401, then the audience 403
 * `wrong_audience` before anything else is asked, an expired or revoked token 401, the plane socket of another run 403
 * `wrong_run` (docs/design/runner.md, docs/design/sandbox.md).
 */
@Injectable()
export class RunnerGuard {
  constructor(private readonly tokens: RunnerTokens) {}

  async admit(request: FastifyRequest, route: RunnerRoute): Promise<void> {
    rememberCaller(request, await this.admitCaller({ headers: request.headers, socket: request.raw.socket }, route));
  }

  /**
   * Lets a tunnel in. A plane socket says whose it is, so none of its run's tokens is needed there; one that is given has to be
   * right all the same.
   */
  async admitTunnel(knock: Knock): Promise<Pick<RunnerCaller, 'organizationId' | 'runId'>> {
    const planeRun = runOfPlaneSocket(knock.socket);
    if (planeRun === undefined || knock.headers.authorization !== undefined)
      return this.admitCaller(knock, { audience: 'tool' });
    refuseCookieBesideBearer(knock.headers);
    const run = await this.tokens.ofSocket(planeRun);
    if (run === null) throw new SandgateError('unauthorized', 'unauthorized');
    return run;
  }

  private async admitCaller({ headers, socket }: Knock, route: RunnerRoute): Promise<RunnerCaller> {
    const token = readRunnerToken(headers, route.acceptsApiKey === true);
    const mayRemember = route.audience === 'tool' || route.audience === 'llm';
    const caller = token === null ? null : await this.tokens.find(token, mayRemember);
    if (caller === null) throw new SandgateError('unauthorized', 'unauthorized');
    if (caller.audience !== route.audience) throw new SandgateError('wrong_audience', 'wrong_audience');
    if (route.admitsDeadTokens !== true && !caller.live) throw new SandgateError('unauthorized', 'unauthorized');
    const planeRun = runOfPlaneSocket(socket);
    if (planeRun !== undefined && planeRun !== caller.runId) throw new SandgateError('wrong_run', 'wrong_run');
    refuseCookieBesideBearer(headers);
    return caller;
  }
}

/** What a request gives as its runner token, or null. A scheme is matched as `Bearer `, exactly. */
function readRunnerToken(headers: IncomingHttpHeaders, acceptsApiKey: boolean): string | null {
  const apiKey = headers['x-api-key'];
  if (acceptsApiKey && typeof apiKey === 'string') return apiKey;
  const { authorization } = headers;
  return authorization?.startsWith('Bearer ') === true ? authorization.slice('Bearer '.length) : null;
}

/** A bearer together with the web session cookie is a mistake or an attack, so neither is used. */
function refuseCookieBesideBearer(headers: IncomingHttpHeaders): void {
  if (hasWebCookie(headers.cookie)) {
    throw new SandgateError('invalid_request', 'a web session cookie and a runner token cannot be combined');
  }
}
