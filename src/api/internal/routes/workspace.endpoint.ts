import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { Database } from '../../../core/record/database.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerEndpoint } from './runner-endpoint.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';

/** The packed workspace of a run. Sandboxes on this host mount theirs, so no run of it has an archive (docs/design/runner.md). */
@Injectable()
export class WorkspaceEndpoint implements RunnerEndpoint {
  readonly method = 'GET';
  readonly path = '/workspace';
  readonly ofSession = true;
  readonly route = { audience: 'workspace' } as const;

  constructor(private readonly database: Database) {}

  async handle(request: FastifyRequest): Promise<unknown> {
    const { organizationId, runId } = callerOf(request);
    if (!(await this.database.withTenant(organizationId, (tx) => runAcceptsWork(tx, runId)))) {
      throw new SandgateError('invalid_request', 'session is not active');
    }
    throw new SandgateError('not_found', 'this run has no workspace archive');
  }
}
