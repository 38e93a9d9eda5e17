import type { ExactJson, ExactObject } from '../../../../domain/digest/exact-json.js';
import { isExactObject } from '../../../../domain/digest/exact-json.js';
import type { ScreenedRequest, ScreenRules } from '../../model-dialect.js';
import { boundedOutput, cacheWritesOf, isAbsent, isLimit, objectsOf, refuse, refuseOddNames, refuseOtherTiers, refuseRemoteContent, requireBody } from '../../request-rules.js'; // prettier-ignore
import { toolResultsOf } from './responses-items.js';

/** Members that refer to something which the provider keeps, and which nobody here has seen. */
const KEPT_ELSEWHERE = ['previous_response_id', 'conversation', 'prompt'] as const;

function refuseKeptElsewhere(body: ExactObject): void {
  for (const name of KEPT_ELSEWHERE) {
    if (!isAbsent(body[name])) refuse(`${name}: send the whole conversation`);
  }
  if (body['background'] === true) refuse('background: answers are metered while they pass; ask in the foreground');
  for (const [index, item] of objectsOf(body['input']).entries()) {
    // An item with nothing but an id refers to a kept one as well.
    const refers = item['type'] === 'item_reference' || (isAbsent(item['type']) && isAbsent(item['role']));
    if (refers) refuse(`input[${index}]: send the item itself, not a reference to it`);
    const parts = objectsOf(item['content']);
    if (parts.some(({ type }) => type === 'input_audio')) refuse(`input[${index}]: only text and images are priced`);
  }
}

/** Whether the harness executes the tool, so that the gate hears of each call. */
function isClientTool(tool: ExactObject): boolean {
  const { type } = tool;
  return type === 'function' || type === 'custom' || (type === 'tool_search' && tool['execution'] === 'client');
}

/**
 * The tools that the harness executes; all others are left out silently, because Codex offers some in every request
 * (docs/design/model-gateway.md).
 */
function clientTools(tools: ExactJson[]): ExactJson[] {
  return tools.flatMap((tool) => {
    if (!isExactObject(tool)) return [];
    refuseOddNames(tool, 'tools');
    if (tool['type'] !== 'namespace') return isClientTool(tool) ? [tool] : [];
    const inner = Array.isArray(tool['tools']) ? clientTools(tool['tools']) : [];
    return inner.length === 0 ? [] : [{ ...tool, tools: inner }];
  });
}

function withClientTools<T extends ExactObject>(holder: T): T {
  return Array.isArray(holder['tools']) ? { ...holder, tools: clientTools(holder['tools']) } : holder;
}

/** Tools come with the request and with items that add some on the way. */
function stripServerTools(body: ExactObject): ExactObject {
  const stripped = withClientTools(body);
  const { input } = stripped;
  if (!Array.isArray(input)) return stripped;
  return { ...stripped, input: input.map((item) => (isExactObject(item) ? withClientTools(item) : item)) };
}

/**
 * Screens a parsed request of OpenAI's Responses API: the frozen model only, the whole conversation, no tools
 * that the provider executes, nothing kept. Throws `invalid_request` with a sentence that names the member.
 */
export function screenResponsesRequest(value: unknown, rules: ScreenRules): ScreenedRequest {
  const asked = requireBody(value, rules.model);
  refuseKeptElsewhere(asked);
  refuseOtherTiers(asked);
  refuseRemoteContent(objectsOf(asked['input']));
  const body: ExactObject = { ...stripServerTools(asked), store: false };
  const text = JSON.stringify(body);
  return {
    body,
    text,
    declaredOutputTokens: boundedOutput(body['max_output_tokens']),
    cacheWrites: cacheWritesOf(text),
    toolResults: toolResultsOf(body['input']),
  };
}

/** The text to forward with its output limit. */
export function withResponsesLimit({ body, text }: ScreenedRequest, grantedTokens: number, capped: boolean): string {
  const declared = body['max_output_tokens'];
  if (isLimit(declared) ? declared <= grantedTokens : !capped) return text;
  return JSON.stringify({ ...body, max_output_tokens: grantedTokens });
}
