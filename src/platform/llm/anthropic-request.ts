import { isExactObject } from '../../domain/digest/exact-json.js';
import type { ExactJson, ExactObject } from '../../domain/digest/exact-json.js';
import { SandgateError } from '../../domain/errors.js';

/** The result of a tool use as a model request carries it back; no content (04-sandbox §1). */
export interface CarriedToolResult {
  toolUseId: string;
  isError: boolean;
  /** Length of the result's content as JSON, in bytes. */
  bytes: number;
}

/** A model request that may be forwarded once its output limit is granted. */
export interface ScreenedRequest {
  body: ExactObject;
  /** The body written anew: what is forwarded is what was screened, never the caller's bytes. */
  text: string;
  streamed: boolean;
  /** Output tokens that the caller asks for, within 1..1 000 000. */
  declaredOutputTokens: number;
  /** How the prompt is written to the provider's cache, which costs more than plain input. */
  cacheWrites: 'none' | 'five_minutes' | 'one_hour';
  toolResults: CarriedToolResult[];
}

/** What a request without a limit of its own may produce (chapter 20 §15.6). */
const DEFAULT_OUTPUT_TOKENS = 32_768;
const MAX_OUTPUT_TOKENS = 1_000_000;
/** The least that Anthropic accepts as a thinking budget. */
const MIN_THINKING_TOKENS = 1024;

function refuse(message: string): never {
  throw new SandgateError('invalid_request', message);
}

/** Members that would make the provider run tools or code of its own, past the gate. */
function refuseServerExecution(body: ExactObject): void {
  const tools = body['tools'];
  if (Array.isArray(tools)) {
    for (const [index, tool] of tools.entries()) {
      const type = isExactObject(tool) ? tool['type'] : undefined;
      if (type !== undefined && type !== null && type !== 'custom') {
        refuse(`tools[${index}].type: tools that the provider executes are not available; only custom tools are`);
      }
    }
  }
  for (const name of ['mcp_servers', 'container'] as const) {
    const value = body[name];
    const absent = value === undefined || value === null || (Array.isArray(value) && value.length === 0);
    if (!absent) refuse(`${name}: tools and code that the provider executes are not available`);
  }
  // A conversation kept by the provider would hide from us which tool uses a result answers.
  const { thread } = body;
  if (thread !== undefined && thread !== null && thread !== false) refuse('thread: send the whole conversation');
}

function outputTokens(body: ExactObject): number {
  const declared = body['max_tokens'];
  if (typeof declared !== 'number' || declared < 1) return DEFAULT_OUTPUT_TOKENS;
  return Math.min(Math.floor(declared), MAX_OUTPUT_TOKENS);
}

function cacheWrites(text: string): ScreenedRequest['cacheWrites'] {
  if (!text.includes('"cache_control"')) return 'none';
  return text.includes('"1h"') ? 'one_hour' : 'five_minutes';
}

function* contentBlocks(body: ExactObject): Generator<ExactObject> {
  const messages = body['messages'];
  if (!Array.isArray(messages)) return;
  for (const message of messages) {
    const content = isExactObject(message) ? message['content'] : undefined;
    if (Array.isArray(content)) yield* content.filter((block: ExactJson) => isExactObject(block));
  }
}

function toolResults(body: ExactObject): CarriedToolResult[] {
  const results: CarriedToolResult[] = [];
  for (const block of contentBlocks(body)) {
    if (block['type'] !== 'tool_result') continue;
    const id = block['tool_use_id'];
    if (typeof id !== 'string') refuse('messages: tool_result without a tool_use_id');
    results.push({
      toolUseId: id,
      isError: block['is_error'] === true,
      bytes: Buffer.byteLength(JSON.stringify(block['content'] ?? '')),
    });
  }
  return results;
}

/**
 * Screens a parsed request of the Anthropic Messages API (chapter 20 §15.3): the frozen model only, no server-executed
 * tools. Throws `invalid_request` with a sentence that names the member.
 */
export function screenAnthropicRequest(value: unknown, frozenModel: string): ScreenedRequest {
  if (!isExactObject(value)) refuse('the request body must be a JSON object');
  if (value['model'] !== frozenModel) refuse(`model: this run is bound to ${frozenModel}`);
  if (value['speed'] !== undefined && value['speed'] !== 'standard') refuse('speed: only standard is priced');
  refuseServerExecution(value);
  const text = JSON.stringify(value);
  return {
    body: value,
    text,
    streamed: value['stream'] === true,
    declaredOutputTokens: outputTokens(value),
    cacheWrites: cacheWrites(text),
    toolResults: toolResults(value),
  };
}

/**
 * The text to forward, its output limit lowered to what the budget affords (06-gate §7). A thinking budget must stay below that
 * limit, or the provider would refuse the request; where none fits, thinking is switched off.
 */
export function withOutputLimit({ body, text }: Pick<ScreenedRequest, 'body' | 'text'>, grantedTokens: number): string {
  const declared = body['max_tokens'];
  if (typeof declared === 'number' && declared >= 1 && declared <= grantedTokens) return text;
  const limited: ExactObject = { ...body, max_tokens: grantedTokens };
  const thinking = body['thinking'];
  const budget = isExactObject(thinking) ? thinking['budget_tokens'] : undefined;
  if (isExactObject(thinking) && typeof budget === 'number' && budget >= grantedTokens) {
    const room = grantedTokens - MIN_THINKING_TOKENS;
    limited['thinking'] = room >= MIN_THINKING_TOKENS ? { ...thinking, budget_tokens: room } : { type: 'disabled' };
  }
  return JSON.stringify(limited);
}
