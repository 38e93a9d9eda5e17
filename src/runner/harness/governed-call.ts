import { isMcpName } from '../../domain/tools/mcp-name.js';
import type { JsonValue } from '../../domain/json.js';
import type { ToolCallRequest } from '../contract/contract-client.js';
import type { CanonicalTool, PreparedCall, ToolOutcome } from '../tools/canonical-tool.js';
import { findTool } from '../tools/tool-catalog.js';
import type { HarnessContext } from './harness.js';

export type GovernedOutcome =
  | { kind: 'executed'; text: string; isError: boolean; note: string }
  | { kind: 'denied'; message: string }
  | { kind: 'not_available'; message: string };

/**
 * Asks the gate, and acts only on an allow (CP-026); for a brokered call the control plane asks the gate. `prepared` is the call
 * with the input that was asked about, already checked; should the gate hand back a changed input, that one is checked and run
 * instead.
 */
export async function askAndRun(
  context: HarnessContext,
  tool: CanonicalTool,
  call: ToolCallRequest,
  prepared: PreparedCall,
  timeoutMs?: number,
): Promise<GovernedOutcome> {
  if (tool.brokered === true) return settled(context, call, await prepared.run(context.tools));
  const answer = await context.contract.permission(call);
  context.signal.throwIfAborted();
  if (answer.decision === 'deny') {
    context.log(`${call.toolCallId} ${call.tool}: denied`);
    return { kind: 'denied', message: answer.message };
  }
  const work = answer.updatedInput === undefined ? prepared : tool.prepare(answer.updatedInput);
  const outcome = await work.run(timeoutMs === undefined ? context.tools : { ...context.tools, timeoutMs });
  context.signal.throwIfAborted();
  context.log(`${call.toolCallId} ${call.tool}: ${outcome.note}`);
  void context.narrator.toolCompleted(call.toolCallId, call.tool, !outcome.isError, outcome.note);
  return { kind: 'executed', ...outcome };
}

/**
 * One call by name: brokered names go to the broker, which asks the same gate; ours and those of the run's sandbox servers are
 * asked for and run here.
 */
export async function callByName(
  context: HarnessContext,
  call: ToolCallRequest,
  timeoutMs?: number,
): Promise<GovernedOutcome> {
  const { tools, owns } = context.sandboxTools;
  if (isMcpName(call.tool) && !owns(call.tool)) return callBrokered(context, call);
  const tool = findTool(call.tool) ?? tools.find(({ name }) => name === call.tool) ?? null;
  if (tool !== null) return askAndRun(context, tool, call, tool.prepare(call.input), timeoutMs);
  const answer = await context.contract.permission(call);
  if (answer.decision === 'deny') return { kind: 'denied', message: answer.message };
  return { kind: 'not_available', message: `${call.tool} was allowed, but this harness cannot perform it` };
}

async function callBrokered(context: HarnessContext, call: ToolCallRequest): Promise<GovernedOutcome> {
  const { callBroker } = await import('../mcp/brokered-tools.js');
  return settled(context, call, await callBroker(context, call));
}

/** The control plane has recorded the outcome of a brokered call; it is not posted twice. */
function settled(context: HarnessContext, call: ToolCallRequest, outcome: ToolOutcome): GovernedOutcome {
  context.signal.throwIfAborted();
  context.log(`${call.toolCallId} ${call.tool}: ${outcome.note}`);
  return outcome.denied === undefined ? { kind: 'executed', ...outcome } : { kind: 'denied', message: outcome.denied };
}

export function toolCall(toolCallId: string, tool: string, input: JsonValue): ToolCallRequest {
  return { toolCallId, tool, input };
}
