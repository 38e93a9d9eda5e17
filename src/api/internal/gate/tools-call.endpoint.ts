import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { ApiConfig } from '../../foundation.module.js';
import { callerOf } from '../auth/runner-caller.js';
import { jsonBodyOf, planeBodyOf } from '../body/plane-body.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import { objectBody, textMember } from '../routes/body-member.js';
import type { PlaneEndpoint } from '../routes/plane-endpoint.js';
import { untilHungUp } from '../../http/until-hung-up.js';
import { GateService } from './gate.service.js';
import { readToolCall } from './tool-call.js';

/** Gate and execution of one brokered tool call (chapter 20 §5). Without a frozen surface the gate denies every name. */
@Injectable()
export class ToolsCallEndpoint implements PlaneEndpoint {
  readonly method = 'POST';
  readonly path = '/tools/call';
  readonly ofSession = true;
  readonly route = { audience: 'tool' } as const;

  constructor(
    private readonly gate: GateService,
    private readonly config: ApiConfig,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    const tool = textMember(objectBody(jsonBodyOf(request)), 'tool', 256);
    if (!tool.startsWith('mcp__')) {
      throw new SandgateError(
        'invalid_request',
        `tool: ${tool} is of the sandbox class and executes inside the sandbox`,
      );
    }
    const read = readToolCall(planeBodyOf(request));
    if (read.kind === 'unreadable') throw new SandgateError('invalid_request', read.call.reason);
    const leave = this.limits.enter(caller.sessionId, 'brokered_calls', this.config.limits.brokeredCalls);
    if (leave === null) {
      this.breaches.note(caller.sessionId, 'brokered_calls');
      throw new SandgateError('rate_limited', 'too many brokered calls of this run in flight; retry', {
        retryAfterSeconds: 1,
      });
    }
    try {
      const result = await this.gate.decide(caller, read, untilHungUp(reply));
      if (result.kind === 'inactive' || result.kind === 'gone') {
        throw new SandgateError('invalid_request', GATE_MESSAGES.sessionNotActive);
      }
      return {
        ok: false,
        denied: true,
        message: result.kind === 'deny' ? result.message : GATE_MESSAGES.notInFrozenSet,
      };
    } finally {
      leave();
    }
  }
}
