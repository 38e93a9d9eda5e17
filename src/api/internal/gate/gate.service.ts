import { Injectable } from '@nestjs/common';
import { digestOf } from '../../../domain/digest/digest.js';
import type { ExactJson } from '../../../domain/digest/exact-json.js';
import { SandgateError } from '../../../domain/errors.js';
import type { GateVerdict } from '../../../domain/gate/gate-verdict.js';
import { judge } from '../../../domain/gate/judge.js';
import { GATE_MESSAGES } from '../../../domain/gate/messages.js';
import { normalizeText } from '../../../domain/redaction/normalize-text.js';
import { summarize } from '../../../domain/tools/summary.js';
import { Database } from '../../../core/record/database.js';
import { decideAutomatic } from '../../../core/gate/gate.js';
import type { AutomaticVerdict, GateAnswer, GateCall } from '../../../core/gate/gate.js';
import { preciseNow } from '../../../platform/telemetry/tracing.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { PolicyHistory } from '../history/policy-history.js';
import { ApprovalGate } from './approval-gate.js';
import { BudgetStops } from './budget-stops.js';
import { GateObserver } from './gate-observer.js';
import type { GateResult } from '../../../domain/gate/gate-verdict.js';
import { RunSpecs } from '../../../core/gate/run-specs.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';
import { SchemaStage } from './schema-stage.js';
import type { ReadToolCall, ToolCallRequest, UnreadableCall } from '../body/tool-call.js';

/** Reloads of a specification that one call makes at most; it never changes, so more would mean a fault. */
const MAX_RELOADS = 3;
/** Recorded in place of a tool's name that cannot be stored. */
const UNKNOWN_TOOL = 'unknown';

/**
 * The gate: one decision per tool call, against the frozen specification only (docs/design/gate.md). An automatic verdict is one
 * evaluation and one database call; a question waits for its row.
 */
@Injectable()
export class GateService {
  constructor(
    private readonly database: Database,
    private readonly specs: RunSpecs,
    private readonly schemas: SchemaStage,
    private readonly approvals: ApprovalGate,
    private readonly budgets: BudgetStops,
    private readonly history: PolicyHistory,
    private readonly observer: GateObserver,
  ) {}

  /** Decides a call; blocks while a human is asked, until `signal` aborts. */
  async decide(caller: RunnerCaller, read: ReadToolCall, signal: AbortSignal): Promise<GateResult> {
    for (let attempt = 0; attempt < MAX_RELOADS; attempt += 1) {
      const run = await this.specs.get(caller.organizationId, caller.runId);
      const result =
        read.kind === 'unreadable'
          ? await this.refuse(caller, run, read.call)
          : await this.judge(caller, run, read.call, signal);
      if (result !== 'reload') return result;
      this.specs.forget(caller.runId);
    }
    throw new SandgateError('internal', 'internal error');
  }

  private async judge(
    caller: RunnerCaller,
    run: FrozenRun,
    request: ToolCallRequest,
    signal: AbortSignal,
  ): Promise<GateResult | 'reload'> {
    const startedAt = preciseNow();
    const { tool, input } = request;
    const schema = await this.schemas.check(caller.runId, run, tool, input);
    const verdict = judge(run.gate, { tool, input, schema });
    const call = gateCall(caller, run, request.toolCallId, tool, {
      summary: normalizeText(summarize(tool, input)),
      inputDigest: digestOf(input),
    });
    const answer = await this.history.during(call, input, () =>
      verdict.kind === 'require_approval'
        ? this.approvals.ask(call, input, verdict)
        : decideAutomatic(this.database, call, automatic(verdict)),
    );
    this.observer.answered(startedAt);
    const message = verdict.kind === 'deny' ? verdict.message : (answer.reason ?? GATE_MESSAGES.replayDenied);
    const result = await this.settle(call, answer, message, signal, input);
    if (this.observer.traces && result !== 'reload') {
      const source = verdict.kind === 'require_approval' ? null : verdict.source;
      const { runId } = caller;
      this.observer.decided({ runId, run, tool, verdict: verdict.kind, source, answer, result, startedAt });
    }
    return result;
  }

  /** A body that is no call, or that holds what no record can hold, is denied and recorded like any other. */
  private async refuse(caller: RunnerCaller, run: FrozenRun, request: UnreadableCall): Promise<GateResult | 'reload'> {
    const tool = request.tool ?? UNKNOWN_TOOL;
    const call = gateCall(caller, run, request.toolCallId, tool, {
      summary: tool,
      inputDigest: request.inputDigest,
    });
    const { reason } = request;
    const denial = { kind: 'deny', source: 'schema', originalVerdict: null, reason } as const;
    const answer = await decideAutomatic(this.database, call, denial);
    return this.settle(call, answer, reason, AbortSignal.abort(), null);
  }

  private async settle(
    call: GateCall,
    answer: GateAnswer,
    message: string,
    signal: AbortSignal,
    input: ExactJson,
  ): Promise<GateResult | 'reload'> {
    switch (answer.outcome) {
      case 'allow':
      case 'session_allow':
        return { kind: 'allow' };
      case 'replay_allow':
        return this.approvals.repeat(call, input, answer);
      case 'deny':
        return { kind: 'deny', message };
      case 'replay_deny':
      case 'too_many_pending':
        return { kind: 'deny', message: GATE_MESSAGES.replayDenied };
      case 'protocol_violation':
        return { kind: 'deny', message: GATE_MESSAGES.protocolViolation };
      case 'budget':
        await this.budgets.stopForToolCalls(call, answer.toolCalls ?? 0);
        return { kind: 'deny', message: GATE_MESSAGES.budgetExceeded };
      case 'asked':
      case 'pending':
        return this.approvals.wait(call, input, answer, signal);
      case 'inactive':
        return { kind: 'inactive' };
      case 'reload':
        return 'reload';
      case 'unauthorized':
        throw new SandgateError('unauthorized', 'unauthorized');
      case 'wrong_audience':
        throw new SandgateError('wrong_audience', GATE_MESSAGES.wrongAudience);
      case 'not_found':
        throw new SandgateError('not_found', 'not found');
    }
  }
}

function gateCall(
  caller: RunnerCaller,
  run: FrozenRun,
  toolCallId: string,
  tool: string,
  described: { summary: string; inputDigest: string },
): GateCall {
  return {
    tokenSha256: caller.tokenSha256,
    organizationId: caller.organizationId,
    runId: caller.runId,
    runSpecDigest: run.digest,
    toolCallId,
    tool,
    ...described,
    maxToolCalls: run.spec.budgets.max_tool_calls,
  };
}

function automatic(verdict: Exclude<GateVerdict, { kind: 'require_approval' }>): AutomaticVerdict {
  return {
    kind: verdict.kind,
    source: verdict.source,
    originalVerdict: verdict.original_verdict,
    reason: verdict.reason,
  };
}
