import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { Database } from '../../../core/record/database.js';
import { runAcceptsWork } from '../../../core/runs/run-status.js';
import { RunArchives } from '../../../platform/workspace/run-archives.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerEndpoint } from './runner-endpoint.js';

/**
 * The packed workspace of a run (docs/design/workspaces.md), any number of times while the run accepts work. Runs whose sandboxes share
 * the files of their host have none.
 */
@Injectable()
export class WorkspaceEndpoint implements RunnerEndpoint {
  readonly method = 'GET';
  readonly path = '/workspace';
  readonly ofSession = true;
  readonly route = { audience: 'workspace' } as const;
  private readonly archives: RunArchives;

  constructor(
    private readonly database: Database,
    config: ApiConfig,
  ) {
    this.archives = new RunArchives(config.data.dir);
  }

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { organizationId, runId } = callerOf(request);
    if (!(await this.database.withTenant(organizationId, (tx) => runAcceptsWork(tx, runId)))) {
      throw new SandgateError('invalid_request', 'session is not active');
    }
    const archive = await this.archives.open(runId);
    if (archive === null) throw new SandgateError('not_found', 'this run has no workspace archive');
    // No more than is announced, whatever becomes of the file meanwhile.
    const content = archive.file.createReadStream({ start: 0, end: Math.max(archive.bytes - 1, 0) });
    void reply.type('application/gzip').header('content-length', String(archive.bytes));
    return content;
  }
}
