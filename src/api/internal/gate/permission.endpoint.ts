import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { callerOf } from '../auth/runner-caller.js';
import { runnerBodyOf } from '../body/runner-body.js';
import type { RunnerEndpoint } from '../routes/runner-endpoint.js';
import { untilHungUp } from '../../http/until-hung-up.js';
import { GateService } from './gate.service.js';
import { MAX_CALL_VALUES, readToolCall } from '../body/tool-call.js';

/** The gate for one tool call of a harness. After authentication it never answers 4xx (docs/design/runner.md). */
@Injectable()
export class PermissionEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/permission';
  readonly ofSession = true;
  readonly route = { audience: 'tool', maxBodyValues: MAX_CALL_VALUES, answersUnreadableBody: true } as const;

  constructor(private readonly gate: GateService) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const result = await this.gate.decide(callerOf(request), readToolCall(runnerBodyOf(request)), untilHungUp(reply));
    switch (result.kind) {
      case 'allow':
        return { decision: 'allow' };
      case 'deny':
        return { decision: 'deny', message: result.message };
      case 'inactive':
      case 'gone':
        return { decision: 'deny', message: GATE_MESSAGES.sessionNotActive };
    }
  }
}
