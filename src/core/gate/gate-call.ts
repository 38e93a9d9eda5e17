import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { JsonObject } from '../../domain/json.js';
import type { RestingValue } from '../../platform/seal/sealer.js';
import { LATE_VALUE } from '../ledger/append-events.js';

/** One tool call at the gate, as the runner plane knows it. */
export interface GateCall {
  /** Hex SHA-256 of the bearer token; checked again by the function: audience `tool`, live, of this run. */
  tokenSha256: string;
  organizationId: string;
  runId: string;
  /** Digest of the RunSpec that the verdict was made from; the function answers `reload` when the row has another. */
  runSpecDigest: string;
  toolCallId: string;
  tool: string;
  summary: string;
  /** `sha256:` + 64 hex. */
  inputDigest: string;
  maxToolCalls: number | null;
}

export interface AutomaticVerdict {
  kind: 'allow' | 'deny';
  /** `source` of tool.decision: policy, autonomy_rewrite, trust_tier, capability, schema, budget, … */
  source: string;
  originalVerdict: 'allow' | 'deny' | 'require_approval' | null;
  reason: string | null;
}

export interface Question {
  source: string;
  risk: string | null;
  reason: string | null;
  scope: 'once' | 'session';
  /** As shown on the wire: the keys joined by `, `, or the tool name. */
  scopeKey: string | null;
  /** A grant covers the call only if every key is granted; null or empty has no key and is never covered (docs/design/gate.md). */
  scopeKeys: string[] | null;
  /** What the decider is shown besides the input: parts, cwd, rule, digests of named files. */
  explanation: JsonObject | null;
  ttlSecs: number;
  maxPending: number;
  /** The whole input, sealed (or clear, key version 0), kept only while the approval is pending (docs/design/sealing.md). */
  payload: RestingValue | null;
}

export function requestedEvent(call: GateCall): NewEvent {
  const { toolCallId, tool, summary, inputDigest } = call;
  return {
    actor: 'agent',
    type: 'tool.requested',
    data: { tool_call_id: toolCallId, tool, summary, input_digest: inputDigest },
  };
}

/** `tool.decision` as every path writes it (docs/design/events.md). */
export function decisionEvent(call: { toolCallId: string; tool: string }, verdict: AutomaticVerdict): NewEvent {
  return {
    actor: 'system',
    type: 'tool.decision',
    data: {
      tool_call_id: call.toolCallId,
      tool: call.tool,
      verdict: verdict.kind,
      source: verdict.source,
      original_verdict: verdict.originalVerdict,
      reason: verdict.reason,
    },
  };
}

/** `approval.requested`; the database fills the deadline in, by its own clock. */
export function askedEvent(call: GateCall, question: Question, approvalId: string): NewEvent {
  return {
    actor: 'system',
    type: 'approval.requested',
    data: {
      approval_id: approvalId,
      tool_call_id: call.toolCallId,
      tool: call.tool,
      summary: call.summary,
      risk: question.risk,
      expires_at: LATE_VALUE,
    },
  };
}
