import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { ApiConfig } from '../../foundation.module.js';
import { isMcpName } from '../../../domain/tools/mcp-name.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { jsonBodyOf, planeBodyOf } from '../body/plane-body.js';
import { LimitBreaches } from '../limits/limit-breaches.js';
import { RunLimits } from '../limits/run-limits.js';
import { objectBody, textMember } from '../routes/body-member.js';
import type { PlaneEndpoint } from '../routes/plane-endpoint.js';
import { untilHungUp } from '../../http/until-hung-up.js';
import { GateService } from './gate.service.js';
import { RunSpecs } from './run-specs.js';
import { MAX_CALL_VALUES, readToolCall } from './tool-call.js';

/** Gate and execution of one brokered tool call (chapter 20 §5). Nothing is executed here yet: the gate denies every name. */
@Injectable()
export class ToolsCallEndpoint implements PlaneEndpoint {
  readonly method = 'POST';
  readonly path = '/tools/call';
  readonly ofSession = true;
  readonly route = { audience: 'tool', maxBodyValues: MAX_CALL_VALUES } as const;

  constructor(
    private readonly gate: GateService,
    private readonly specs: RunSpecs,
    private readonly config: ApiConfig,
    private readonly limits: RunLimits,
    private readonly breaches: LimitBreaches,
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    await this.refuseSandboxTool(caller, textMember(objectBody(jsonBodyOf(request)), 'tool', 256));
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

  /** Built-in tools, and those of servers inside the sandbox, have their gate and no execution here (chapter 30 §7.5). */
  private async refuseSandboxTool(caller: RunnerCaller, tool: string): Promise<void> {
    const run = await this.specs.get(caller.organizationId, caller.sessionId);
    if (isMcpName(tool) && run.gate.tools.find(tool)?.class !== 'sandbox') return;
    throw new SandgateError('invalid_request', `tool: ${tool} is of the sandbox class and executes inside the sandbox`);
  }
}
