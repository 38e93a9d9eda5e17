import { isExactObject } from '../../../../domain/digest/exact-json.js';
import type { ExactObject } from '../../../../domain/digest/exact-json.js';
import type { CarriedToolResult, ScreenedRequest } from '../../model-dialect.js';
import {
  boundedOutput,
  cacheWritesOf,
  isAbsent,
  isLimit,
  jsonBytes,
  objectsOf,
  refuse,
  refuseOddNames,
  refuseRemoteContent,
  requireBody,
  requireResultId,
} from '../../request-rules.js';

/** The least that Anthropic accepts as a thinking budget. */
const MIN_THINKING_TOKENS = 1024;

/** Members that would make the provider run tools or code of its own, past the gate. */
function refuseServerExecution(body: ExactObject): void {
  const tools = body['tools'];
  if (Array.isArray(tools)) {
    for (const [index, tool] of tools.entries()) {
      if (isExactObject(tool)) refuseOddNames(tool, `tools[${index}]`);
      const type = isExactObject(tool) ? tool['type'] : undefined;
      if (type !== undefined && type !== null && type !== 'custom') {
        refuse(`tools[${index}].type: tools that the provider executes are not available; only custom tools are`);
      }
    }
  }
  for (const name of ['mcp_servers', 'container'] as const) {
    if (!isAbsent(body[name])) refuse(`${name}: tools and code that the provider executes are not available`);
  }
  // A conversation kept by the provider would hide from us which tool uses a result answers.
  const { thread } = body;
  if (thread !== undefined && thread !== null && thread !== false) refuse('thread: send the whole conversation');
}

/** Members with which the provider samples, or bills, in ways that are not priced. */
function refuseUnpriced(body: ExactObject): void {
  const { speed, inference_geo: region, context_management: management } = body;
  if (speed !== undefined && speed !== 'standard') refuse('speed: only standard is priced');
  if (!isAbsent(region) && region !== 'global') refuse('inference_geo: only inference in any region is priced');
  if (!isAbsent(body['billing_policy'])) refuse('billing_policy: the provider bills this deployment');
  // Writing a summary is a request of its own, which no output limit bounds and the reported totals leave out.
  const edits = isExactObject(management) ? objectsOf(management['edits']) : [];
  const compacts = edits.some(({ type }) => typeof type !== 'string' || !type.startsWith('clear_'));
  if (!isAbsent(body['compaction']) || compacts)
    refuse('compaction: summaries that the provider writes are not counted');
}

function toolResults(body: ExactObject): CarriedToolResult[] {
  const blocks = objectsOf(body['messages']).flatMap((message) => objectsOf(message['content']));
  return blocks
    .filter((block) => block['type'] === 'tool_result')
    .map((block) => {
      const id = requireResultId(block['tool_use_id'], 'messages: tool_result without a tool_use_id');
      return { toolUseId: id, isError: block['is_error'] === true, bytes: jsonBytes(block['content']) };
    });
}

/**
 * Screens a parsed request of the Anthropic Messages API (docs/design/model-gateway.md): the frozen model only, no server-executed
 * tools. Throws `invalid_request` with a sentence that names the member.
 */
export function screenAnthropicRequest(value: unknown, frozenModel: string): ScreenedRequest {
  const body = requireBody(value, frozenModel);
  refuseUnpriced(body);
  refuseServerExecution(body);
  refuseRemoteContent(objectsOf(body['messages']));
  const text = JSON.stringify(body);
  return {
    body,
    text,
    declaredOutputTokens: boundedOutput(body['max_tokens']),
    cacheWrites: cacheWritesOf(text),
    toolResults: toolResults(body),
  };
}

/**
 * The text to forward, its output limit lowered to what the budget affords (docs/design/budgets.md). A thinking budget must stay below that
 * limit, or the provider would refuse the request; where none fits, thinking is switched off.
 */
export function withOutputLimit({ body, text }: Pick<ScreenedRequest, 'body' | 'text'>, grantedTokens: number): string {
  const declared = body['max_tokens'];
  if (isLimit(declared) && declared <= grantedTokens) return text;
  const limited: ExactObject = { ...body, max_tokens: grantedTokens };
  const thinking = body['thinking'];
  const budget = isExactObject(thinking) ? thinking['budget_tokens'] : undefined;
  if (isExactObject(thinking) && typeof budget === 'number' && budget >= grantedTokens) {
    const room = grantedTokens - MIN_THINKING_TOKENS;
    limited['thinking'] = room >= MIN_THINKING_TOKENS ? { ...thinking, budget_tokens: room } : { type: 'disabled' };
  }
  return JSON.stringify(limited);
}
