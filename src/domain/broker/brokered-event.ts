import type { EventData, NewEvent } from '../events/event-kinds.js';
import { BROKER_MESSAGES, shortCause } from './broker-answer.js';
import { MAX_CLAIM_ATTEMPTS, type SettledClaimState } from './claim.js';

/** One settled claim as the ledger tells it (docs/design/broker.md): ids, digests, numbers, and a cause in our own words. */
export interface SettledCall {
  toolCallId: string;
  tool: string;
  /** Left out where it is not known when the claim is settled. */
  bindingId?: string | undefined;
  state: SettledClaimState;
  attempt: number;
  latencyMs: number;
  resultDigest?: string | undefined;
  error?: string | undefined;
}

export function brokeredEvent(call: SettledCall, server: string): NewEvent {
  const data: EventData['tool.brokered'] = {
    tool_call_id: call.toolCallId,
    tool: call.tool,
    server,
    ok: call.state === 'succeeded',
    latency_ms: Math.max(0, Math.round(call.latencyMs)),
    outcome: call.state,
  };
  if (call.bindingId !== undefined) data.binding_id = call.bindingId;
  if (call.resultDigest !== undefined) data.result_digest = call.resultDigest;
  if (call.state !== 'succeeded' && call.error !== undefined) data.error = errorOf(call, call.error);
  return { actor: 'system', type: 'tool.brokered', data };
}

function errorOf({ state, attempt }: SettledCall, error: string): string {
  const last = state === 'failed_before_send' && attempt >= MAX_CLAIM_ATTEMPTS;
  if (!last) return shortCause(error);
  const room = 300 - BROKER_MESSAGES.lastAttempt.length - 1;
  return `${Array.from(error).slice(0, room).join('')} ${BROKER_MESSAGES.lastAttempt}`;
}
