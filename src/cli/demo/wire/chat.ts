import type { JsonObject, JsonValue } from '../../../domain/json.js';
import type { ScriptedError } from './model-script.js';
import { newId, piecesOf, type ComposedReply } from './composed-reply.js';
import { isOf, openAiError, type OpenAiUsage, openAiUsage } from './openai.js';
import { itemsOf, objectsIn, stringIn, type WireEvent } from './wire-format.js';

/** The OpenAI Chat Completions format: `POST /v1/chat/completions`. */
export const CHAT_IDS = 'call_';

const FINISH_REASONS: Record<ComposedReply['stopReason'], string> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

export function wholeCompletion(reply: ComposedReply): JsonObject {
  const calls = toolCalls(reply);
  const message = {
    role: 'assistant',
    content: textOf(reply) || null,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelope(reply, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[reply.stopReason] }],
    ...(reply.withoutUsage ? {} : { usage: chatUsage(reply) }),
  };
}

/** Chunks: the role, pieces of the text, each call's head and pieces of its arguments, the finish, and the usage when it was asked for. */
export function* completionEvents(reply: ComposedReply, request: JsonObject): Generator<WireEvent> {
  const head = envelope(reply, 'chat.completion.chunk');
  const wantsUsage = isOf(request['stream_options']) && request['stream_options']['include_usage'] === true;
  const chunk = (delta: JsonObject, finish: string | null = null): WireEvent => ({
    data: {
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(wantsUsage ? { usage: null } : {}),
    },
  });
  yield chunk({ role: 'assistant', content: '', refusal: null });
  for (const piece of piecesOf(textOf(reply))) yield chunk({ content: piece });
  for (const [index, call] of toolCalls(reply).entries()) {
    const { name, arguments: text } = call.function;
    yield chunk({ tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] });
    for (const piece of piecesOf(text)) yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield chunk({}, FINISH_REASONS[reply.stopReason]);
  if (wantsUsage && !reply.withoutUsage) yield { data: { ...head, choices: [], usage: chatUsage(reply) } };
  yield { data: '[DONE]' };
}

export function chatError(error: ScriptedError): JsonObject {
  return openAiError(error);
}

/** Every tool call of a reply must be answered before anybody else speaks, as the provider insists. */
export function chatProblem(body: JsonObject): string | null {
  const messages = itemsOf('chat', body);
  if (messages.length === 0) return "Missing required parameter: 'messages'.";
  for (const [index, message] of messages.entries()) {
    const called = objectsIn(message['tool_calls']).map((call) => stringIn(call, 'id'));
    const next = messages.findIndex((one, at) => at > index && one['role'] !== 'tool');
    const answered = new Set(
      messages.slice(index + 1, next === -1 ? undefined : next).map((one) => stringIn(one, 'tool_call_id')),
    );
    const missing = called.filter((id) => !answered.has(id));
    if (missing.length > 0)
      return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(', ')}`;
    if (message['role'] === 'tool' && !followsItsCall(messages, index))
      return `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
  }
  return null;
}

function followsItsCall(messages: JsonObject[], index: number): boolean {
  const caller = messages.slice(0, index).findLast((one) => one['role'] !== 'tool');
  const id = messages[index]?.['tool_call_id'] as JsonValue;
  return objectsIn(caller?.['tool_calls']).some((call) => call['id'] === id);
}

interface ChatCall extends JsonObject {
  id: string;
  function: { name: string; arguments: string };
}

function toolCalls(reply: ComposedReply): ChatCall[] {
  return reply.blocks.flatMap((block) =>
    block.kind === 'text'
      ? []
      : [{ id: block.id, type: 'function', function: { name: block.name, arguments: block.text } }],
  );
}

function textOf(reply: ComposedReply): string {
  return reply.blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('');
}

function chatUsage(reply: ComposedReply): JsonObject {
  const { input, output, cached, total }: OpenAiUsage = openAiUsage(reply.usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

function envelope({ model }: ComposedReply, object: string): JsonObject {
  return {
    id: newId('chatcmpl-'),
    object,
    created: Math.floor(Date.now() / 1000),
    model,
    service_tier: 'default',
    system_fingerprint: null,
  };
}
