import type { JsonObject, JsonValue } from '../../../domain/json.js';
import type { ScriptedError } from './model-script.js';
import { newId, piecesOf, type ComposedBlock, type ComposedReply } from './composed-reply.js';
import { itemsOf, objectsIn, type WireEvent } from './wire-format.js';

/** The Anthropic Messages format: `POST /v1/messages`. */
export const MESSAGES_IDS = 'toolu_';

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** The one JSON body of a request that does not stream. */
export function wholeMessage(reply: ComposedReply): JsonObject {
  return {
    ...envelope(reply),
    content: reply.blocks.map(wholeBlock),
    stop_reason: reply.stopReason,
    ...(reply.withoutUsage ? {} : { usage: { ...reply.usage } }),
  };
}

/** The events of a stream in the order of the wire: start, per block its start, deltas and stop, then delta and stop. */
export function* messageEvents(reply: ComposedReply): Generator<WireEvent> {
  const startUsage = { ...reply.usage, output_tokens: 1 };
  yield event('message_start', {
    message: {
      ...envelope(reply),
      content: [],
      stop_reason: null,
      ...(reply.withoutUsage ? {} : { usage: startUsage }),
    },
  });
  yield event('ping', {});
  for (const [index, block] of reply.blocks.entries()) yield* blockEvents(index, block);
  yield event('message_delta', {
    delta: { stop_reason: reply.stopReason, stop_sequence: null },
    ...(reply.withoutUsage ? {} : { usage: { output_tokens: reply.usage.output_tokens } }),
  });
  yield event('message_stop', {});
}

export function messagesError(error: ScriptedError): JsonObject {
  const type = error.type ?? ERROR_TYPES[error.status] ?? 'api_error';
  return { type: 'error', error: { type, message: error.message ?? type }, request_id: 'req_scripted' };
}

/**
 * What a real provider refuses about a conversation, as a sentence, or null. Above all: every tool use of a reply must be
 * answered in the very next message, or a client that loses a result would pass unnoticed.
 */
export function messagesProblem(body: JsonObject): string | null {
  const { max_tokens: maxTokens } = body;
  const messages = itemsOf('messages', body);
  if (messages.length === 0) return 'messages: at least one message is required';
  if (maxTokens !== undefined && !(typeof maxTokens === 'number' && maxTokens >= 1))
    return 'max_tokens: must be at least 1';
  for (const [index, message] of messages.entries()) {
    const answered = new Set(blocksOf(messages[index + 1], 'user', 'tool_result').map((block) => block['tool_use_id']));
    const missing = blocksOf(message, 'assistant', 'tool_use')
      .map((block) => block['id'])
      .find((id) => id === undefined || !answered.has(id));
    if (missing !== undefined)
      return `messages.${index + 1}: tool_use ${JSON.stringify(missing)} has no tool_result immediately after it`;
  }
  return null;
}

function blocksOf(message: JsonObject | undefined, role: string, type: string): JsonObject[] {
  if (message?.['role'] !== role) return [];
  return objectsIn(message['content']).filter((block) => block['type'] === type);
}

function* blockEvents(index: number, block: ComposedBlock): Generator<WireEvent> {
  const isText = block.kind === 'text';
  const opened: JsonObject = isText ? { type: 'text', text: '' } : { ...wholeBlock(block), input: {} };
  yield event('content_block_start', { index, content_block: opened });
  for (const piece of piecesOf(block.text)) {
    const delta: JsonObject = isText
      ? { type: 'text_delta', text: piece }
      : { type: 'input_json_delta', partial_json: piece };
    yield event('content_block_delta', { index, delta });
  }
  yield event('content_block_stop', { index });
}

function wholeBlock(block: ComposedBlock): JsonObject {
  if (block.kind === 'text') return { type: 'text', text: block.text };
  return { type: 'tool_use', id: block.id, name: block.name, input: block.input as JsonValue };
}

function envelope({ model }: ComposedReply): JsonObject {
  return { id: newId('msg_'), type: 'message', role: 'assistant', model, stop_sequence: null };
}

function event(type: string, data: JsonObject): WireEvent {
  return { name: type, data: { type, ...data } };
}
