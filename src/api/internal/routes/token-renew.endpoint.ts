import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isExactObject } from '../../../domain/digest/exact-json.js';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import { Database } from '../../../core/record/database.js';
import { renewTokens } from '../../../core/runs/tokens.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import { jsonBodyOf } from '../body/runner-body.js';
import type { RunnerEndpoint } from './runner-endpoint.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';

/** Extends all four tokens of a run; no token is returned (docs/design/runner.md). */
@Injectable()
export class TokenRenewEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/token/renew';
  readonly ofSession = true;
  readonly route = { audience: 'control', maxBodyBytes: 65_536 } as const;
  private readonly longestSecs: number;

  constructor(
    private readonly database: Database,
    config: ApiConfig,
  ) {
    this.longestSecs = Math.max(1, Math.floor(config.timing.tokenTtlMs / 1000));
  }

  async handle(request: FastifyRequest): Promise<unknown> {
    const { organizationId, runId } = callerOf(request);
    const ttlSecs = this.clampTtl(jsonBodyOf(request));
    return this.database.withTenant(organizationId, async (tx) => {
      if (!(await runAcceptsWork(tx, runId))) {
        throw new SandgateError('invalid_request', 'session is not active');
      }
      const renewed = await renewTokens(tx, runId, ttlSecs);
      return { renewed, ttl_secs: ttlSecs };
    });
  }

  private clampTtl(body: ExactJson): number {
    if (body === null) return this.longestSecs;
    if (!isExactObject(body)) throw new SandgateError('invalid_request', 'the request body must be a JSON object');
    const asked = body['ttl_secs'] ?? this.longestSecs;
    if (typeof asked !== 'number' || !Number.isInteger(asked)) {
      throw new SandgateError('invalid_request', 'ttl_secs: an integer is required');
    }
    return Math.min(Math.max(asked, 1), this.longestSecs);
  }
}
