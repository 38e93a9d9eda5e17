import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { denied } from '../../../domain/broker/broker-answer.js';
import { SandgateError } from '../../../domain/errors.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { isMcpName } from '../../../domain/tools/mcp-name.js';
import { untilHungUp } from '../../http/until-hung-up.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { runnerBodyOf, type RunnerBody } from '../body/runner-body.js';
import { BrokeredCallService, type BrokerAnswer } from '../broker/brokered-calls.js';
import { CallPlaces } from '../broker/call-places.js';
import type { RunnerEndpoint } from '../routes/runner-endpoint.js';
import { GateService } from './gate.service.js';
import { RunSpecs } from '../../../core/gate/run-specs.js';
import { MAX_CALL_VALUES, readToolCall, type ToolCallRequest, type UnreadableCall } from '../body/tool-call.js';

/** Gate and execution of one brokered tool call (docs/design/runner.md, docs/design/broker.md). */
@Injectable()
export class ToolsCallEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/tools/call';
  readonly ofSession = true;
  readonly route = { audience: 'tool', maxBodyValues: MAX_CALL_VALUES, answersUnreadableBody: true } as const;

  constructor(
    private readonly gate: GateService,
    private readonly specs: RunSpecs,
    private readonly calls: BrokeredCallService,
    private readonly places: CallPlaces,
  ) {}

  async handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const caller = callerOf(request);
    const body = runnerBodyOf(request);
    const read = readToolCall(body);
    if (read.kind === 'unreadable' && !read.call.isCall) throw whyNoCall(body, read.call);
    if (read.call.tool !== null) await this.refuseSandboxTool(caller, read.call.tool);
    const signal = untilHungUp(reply);
    const result = await this.gate.decide(caller, read, signal);
    if (result.kind === 'deny') return denied(result.message);
    if (result.kind !== 'allow' || read.kind !== 'call')
      throw new SandgateError('invalid_request', GATE_MESSAGES.sessionNotActive);
    return this.send(reply, await this.execute(caller, read.call, signal));
  }

  private execute(caller: RunnerCaller, call: ToolCallRequest, signal: AbortSignal): Promise<BrokerAnswer> {
    this.calls.assertAvailable();
    return this.places.during(caller, signal, () => this.calls.execute(caller, call, signal));
  }

  /** A stored answer goes out as it was stored, byte for byte. */
  private send(reply: FastifyReply, answer: BrokerAnswer): unknown {
    if (!('text' in answer)) return answer;
    void reply.header('content-type', 'application/json; charset=utf-8');
    return answer.text;
  }

  /**
   * Built-in tools, and those of servers inside the sandbox, pass the gate elsewhere and are not executed here
   * (docs/design/gate.md).
   */
  private async refuseSandboxTool(caller: RunnerCaller, tool: string): Promise<void> {
    const run = await this.specs.get(caller.organizationId, caller.runId);
    if (isMcpName(tool) && run.gate.tools.find(tool)?.class !== 'sandbox') return;
    throw new SandgateError('invalid_request', `tool: ${tool} is of the sandbox class and executes inside the sandbox`);
  }
}

/** A body that is too large keeps its own status. */
function whyNoCall(body: RunnerBody, { reason }: UnreadableCall): SandgateError {
  return body.kind === 'unreadable' ? body.failure : new SandgateError('invalid_request', reason);
}
