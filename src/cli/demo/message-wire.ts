import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../../domain/json.js';
import type { ScriptedBlock, ScriptedReply, ScriptedUsage } from './model-script.js';

const PIECE_CHARACTERS = 24;
const BYTES_PER_TOKEN = 4;

export interface WireEvent {
  type: string;
  data: JsonObject;
}

/** A whole message of the Anthropic Messages format. */
export interface WireMessage {
  id: string;
  model: string;
  content: JsonObject[];
  stopReason: string;
  usage: ScriptedUsage;
  withoutUsage: boolean;
}

export function composeMessage(reply: ScriptedReply, model: string, requestBytes: number): WireMessage {
  const content = reply.content.map(toBlock);
  const callsTool = reply.content.some((block) => 'tool' in block);
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    model,
    content,
    stopReason: reply.stopReason ?? (callsTool ? 'tool_use' : 'end_turn'),
    usage: {
      input_tokens: tokensOf(requestBytes),
      output_tokens: tokensOf(Buffer.byteLength(JSON.stringify(content))),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...reply.usage,
    },
    withoutUsage: reply.withoutUsage === true,
  };
}

/** The one JSON body of a request that does not stream. */
export function wholeBody(message: WireMessage): JsonObject {
  return {
    ...envelope(message),
    content: message.content,
    stop_reason: message.stopReason,
    ...(message.withoutUsage ? {} : { usage: { ...message.usage } }),
  };
}

/** The events of a stream in the order of the wire: start, per block its start, deltas and stop, then delta and stop. */
export function* streamEvents(message: WireMessage): Generator<WireEvent> {
  const startUsage = { ...message.usage, output_tokens: 1 };
  yield event('message_start', {
    message: {
      ...envelope(message),
      content: [],
      stop_reason: null,
      ...(message.withoutUsage ? {} : { usage: startUsage }),
    },
  });
  yield event('ping', {});
  for (const [index, block] of message.content.entries()) yield* blockEvents(index, block);
  yield event('message_delta', {
    delta: { stop_reason: message.stopReason, stop_sequence: null },
    ...(message.withoutUsage ? {} : { usage: { output_tokens: message.usage.output_tokens } }),
  });
  yield event('message_stop', {});
}

function* blockEvents(index: number, block: JsonObject): Generator<WireEvent> {
  const isText = block['type'] === 'text';
  const opened: JsonObject = isText ? { ...block, text: '' } : { ...block, input: {} };
  yield event('content_block_start', { index, content_block: opened });
  const whole = typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block['input']);
  for (let start = 0; start < whole.length; start += PIECE_CHARACTERS) {
    const piece = whole.slice(start, start + PIECE_CHARACTERS);
    const delta: JsonObject = isText
      ? { type: 'text_delta', text: piece }
      : { type: 'input_json_delta', partial_json: piece };
    yield event('content_block_delta', { index, delta });
  }
  yield event('content_block_stop', { index });
}

function envelope(message: WireMessage): JsonObject {
  return { id: message.id, type: 'message', role: 'assistant', model: message.model, stop_sequence: null };
}

function event(type: string, data: JsonObject): WireEvent {
  return { type, data: { type, ...data } };
}

function toBlock(block: ScriptedBlock): JsonObject {
  if ('text' in block) return { type: 'text', text: block.text };
  return {
    type: 'tool_use',
    id: block.id ?? `toolu_${randomBytes(12).toString('hex')}`,
    name: block.tool,
    input: block.input,
  };
}

export function tokensOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN));
}
