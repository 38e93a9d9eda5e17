import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { callerOf } from '../auth/runner-caller.js';
import { HeartbeatLane } from './heartbeat-lane.js';
import type { PlaneEndpoint } from './plane-endpoint.js';

/** Liveness of a runner and the directives for it (docs/design/runner.md). */
@Injectable()
export class HeartbeatEndpoint implements PlaneEndpoint {
  readonly method = 'POST';
  readonly path = '/heartbeat';
  readonly ofSession = true;
  readonly route = { audience: 'control', maxBodyBytes: 65_536, answersUnreadableBody: true } as const;

  constructor(private readonly lane: HeartbeatLane) {}

  async handle(request: FastifyRequest): Promise<unknown> {
    const { organizationId, sessionId } = callerOf(request);
    const status = await this.lane.beat(organizationId, sessionId);
    if (status === null) throw new SandgateError('not_found', 'not found');
    return { ok: true, action: status === 'cancelling' ? 'quiesce' : null };
  }
}
