import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { callerOf } from '../auth/runner-caller.js';
import { HeartbeatLane } from './heartbeat-lane.js';
import type { RunnerEndpoint } from './runner-endpoint.js';

/** Liveness of a runner and the directives for it (docs/design/runner.md). */
@Injectable()
export class HeartbeatEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/heartbeat';
  readonly ofSession = true;
  readonly route = { audience: 'control', maxBodyBytes: 65_536, answersUnreadableBody: true } as const;

  constructor(private readonly lane: HeartbeatLane) {}

  async handle(request: FastifyRequest): Promise<unknown> {
    const { organizationId, runId } = callerOf(request);
    const status = await this.lane.beat(organizationId, runId);
    if (status === null) throw new SandgateError('not_found', 'not found');
    return { ok: true, action: status === 'cancelling' ? 'quiesce' : null };
  }
}
