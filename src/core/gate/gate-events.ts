import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { AutomaticVerdict, GateCall, Question } from './gate-call.js';
import { LATE_VALUE } from '../ledger/append-events.js';

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
