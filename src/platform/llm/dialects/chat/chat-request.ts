import { isExactObject } from '../../../../domain/digest/exact-json.js';
import type { ExactJson, ExactObject } from '../../../../domain/digest/exact-json.js';
import { providerOf } from '../../../../domain/prices/provider-of.js';
import type { CarriedToolResult, ScreenedRequest, ScreenRules } from '../../model-dialect.js';
import { boundedOutput, cacheWritesOf, isAbsent, isLimit, jsonBytes, objectsOf, refuse, refuseOddNames, refuseOtherTiers, refuseRemoteContent, requireBody, requireResultId } from '../../request-rules.js'; // prettier-ignore
import { UsageFilter } from '../../metering/usage-filter.js';

/** The two spellings of the output limit; the older one is what servers other than OpenAI's understand. */
const LIMITS = ['max_completion_tokens', 'max_tokens'] as const;

/** Members that would make the provider act, keep or bill in ways that nobody gates or counts, each with what to do. */
const REFUSED: Readonly<Record<string, string>> = {
  web_search_options: 'searches that the provider executes are not available',
  functions: 'results of functions carry no id; use tools',
  function_call: 'results of functions carry no id; use tool_choice',
  audio: 'only text is priced',
  // Limits of local servers, which win over the one that is granted.
  n_predict: 'use max_tokens',
  num_predict: 'use max_tokens',
  max_new_tokens: 'use max_tokens',
};

/** The words with which a tool result says that the harness refused the use itself; the dialect has no mark for it. */
const REFUSAL = /^\s*error:/i;

function refuseUncounted(body: ExactObject): void {
  for (const [name, reason] of Object.entries(REFUSED)) {
    if (!isAbsent(body[name])) refuse(`${name}: ${reason}`);
  }
  for (const name of ['n', 'best_of'] as const) {
    const value = body[name];
    if (!isAbsent(value) && value !== 1) refuse(`${name}: one answer at a time; each would spend the output limit`);
  }
  for (const name of LIMITS) {
    // Servers that read "9000" as 9000 would exceed what was granted.
    if (!isAbsent(body[name]) && !isLimit(body[name])) refuse(`${name}: must be a number of at least 1`);
  }
  const { modalities } = body;
  if (Array.isArray(modalities) && modalities.some((kind) => kind !== 'text'))
    refuse('modalities: only text is priced');
  refuseOtherTiers(body);
}

function refuseServerTools(body: ExactObject): void {
  const { tools } = body;
  if (!Array.isArray(tools)) return;
  for (const [index, tool] of tools.entries()) {
    if (isExactObject(tool)) refuseOddNames(tool, `tools[${index}]`);
    const type = isExactObject(tool) ? tool['type'] : undefined;
    if (type !== 'function' && type !== 'custom') {
      refuse(`tools[${index}].type: tools that the provider executes are not available; only function and custom are`);
    }
  }
}

/** The text of a message's content; of a list, its first part's. */
function textOfContent(content: ExactJson | undefined): string {
  if (typeof content === 'string') return content;
  const text = objectsOf(content)[0]?.['text'];
  return typeof text === 'string' ? text : '';
}

function toolResults(body: ExactObject): CarriedToolResult[] {
  const results: CarriedToolResult[] = [];
  for (const [index, message] of objectsOf(body['messages']).entries()) {
    const { role, content } = message;
    if (role === 'function') refuse(`messages[${index}].role: results of functions carry no id; use tools`);
    if (objectsOf(content).some((part) => part['type'] === 'input_audio')) {
      refuse(`messages[${index}].content: only text and images are priced`);
    }
    if (role !== 'tool') continue;
    const toolUseId = requireResultId(
      message['tool_call_id'],
      `messages[${index}]: a tool message without a tool_call_id`,
    );
    results.push({ toolUseId, isError: REFUSAL.test(textOfContent(content)), bytes: jsonBytes(content) });
  }
  return results;
}

/** Nothing is kept by a provider, and a stream reports its usage whether the client asked for it or not. */
function forceMembers(body: ExactObject, rules: ScreenRules): ExactObject {
  const forced: ExactObject = { ...body };
  if (rules.providerStores || !isAbsent(body['store'])) forced['store'] = false;
  if (body['stream'] === true) {
    const options = body['stream_options'];
    forced['stream_options'] = { ...(isExactObject(options) ? options : {}), include_usage: true };
  }
  return forced;
}

function asksForUsage(body: ExactObject): boolean {
  const options = body['stream_options'];
  return isExactObject(options) && options['include_usage'] === true;
}

/**
 * Screens a parsed request of OpenAI's Chat Completions API: the frozen model only, one answer, no tools that the provider
 * executes, nothing that is not priced as text. Throws `invalid_request` with a sentence that names the member.
 */
export function screenChatRequest(value: unknown, rules: ScreenRules): ScreenedRequest {
  const asked = requireBody(value, rules.model);
  refuseUncounted(asked);
  refuseServerTools(asked);
  refuseRemoteContent(objectsOf(asked['messages']));
  const toolResultsAsked = toolResults(asked);
  const body = forceMembers(asked, rules);
  const text = JSON.stringify(body);
  const limits = LIMITS.map((name) => body[name]).filter((limit) => isLimit(limit));
  return {
    body,
    text,
    declaredOutputTokens: boundedOutput(limits.length === 0 ? undefined : Math.min(...limits)),
    cacheWrites: cacheWritesOf(text),
    toolResults: toolResultsAsked,
    ...(asked['stream'] === true && !asksForUsage(asked) ? { filter: () => new UsageFilter() } : {}),
  };
}

function speaksOpenAi(model: ExactJson | undefined): boolean {
  return typeof model === 'string' && providerOf(model) === 'openai';
}

/** The text to forward with its output limit, in the spelling that the client uses, or else the one that the model's server understands. */
export function withChatLimit({ body, text }: ScreenedRequest, grantedTokens: number, capped: boolean): string {
  const declared = LIMITS.filter((name) => isLimit(body[name]));
  if (declared.length === 0 && !capped) return text;
  const spelled = declared.length > 0 ? declared : [speaksOpenAi(body['model']) ? LIMITS[0] : LIMITS[1]];
  const limited: ExactObject = { ...body };
  let changed = false;
  for (const name of spelled) {
    const limit = body[name];
    if (isLimit(limit) && limit <= grantedTokens) continue;
    limited[name] = grantedTokens;
    changed = true;
  }
  return changed ? JSON.stringify(limited) : text;
}
