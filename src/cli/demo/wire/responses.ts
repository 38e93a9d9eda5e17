import type { JsonObject } from '../../../domain/json.js';
import type { ScriptedError } from './model-script.js';
import { newId, piecesOf, type ComposedBlock, type ComposedReply } from './composed-reply.js';
import { openAiError, openAiUsage } from './openai.js';
import { itemsOf, stringIn, type WireEvent } from './wire-format.js';

/** The OpenAI Responses format: `POST /v1/responses`. */
export const RESPONSES_IDS = 'call_';

export function wholeResponse(reply: ComposedReply): JsonObject {
  return finished(
    reply,
    envelope(reply),
    reply.blocks.map((block) => doneItem(block, idOf(block))),
  );
}

/** Numbered events: created, in progress, per item its addition, pieces and end, then the whole once more. */
export function* responseEvents(reply: ComposedReply): Generator<WireEvent> {
  let number = 0;
  const event = (type: string, data: JsonObject): WireEvent => ({
    name: type,
    data: { type, sequence_number: number++, ...data },
  });
  const head = envelope(reply);
  const open = { ...head, status: 'in_progress', output: [], usage: null };
  yield event('response.created', { response: open });
  yield event('response.in_progress', { response: open });
  const items: JsonObject[] = [];
  for (const [index, block] of reply.blocks.entries()) {
    const id = idOf(block);
    for (const [type, data] of itemEvents(block, id)) yield event(type, { output_index: index, ...data });
    items.push(doneItem(block, id));
  }
  const whole = finished(reply, head, items);
  yield event(whole['status'] === 'completed' ? 'response.completed' : 'response.incomplete', { response: whole });
}

export function responsesError(error: ScriptedError): JsonObject {
  return openAiError(error);
}

/** Every call of the model must have its output in the same request, as the provider insists of one that keeps nothing. */
export function responsesProblem(body: JsonObject): string | null {
  if (typeof body['input'] === 'string') return null;
  const items = itemsOf('responses', body);
  if (items.length === 0) return "Missing required parameter: 'input'.";
  for (const kind of ['function_call', 'custom_tool_call', 'local_shell_call']) {
    const ids = (type: string): string[] =>
      items.filter((item) => item['type'] === type).map((item) => stringIn(item, 'call_id'));
    const [called, answered] = [ids(kind), ids(`${kind}_output`)];
    const missing = called.find((id) => !answered.includes(id));
    if (missing !== undefined) return `No tool output found for ${kind.replaceAll('_', ' ')} ${missing}.`;
    const stray = answered.find((id) => !called.includes(id));
    if (stray !== undefined) return `No tool call found for ${kind.replaceAll('_', ' ')} output with call_id ${stray}.`;
  }
  return null;
}

function* itemEvents(block: ComposedBlock, id: string): Generator<[type: string, data: JsonObject]> {
  const opened = openItem(block, id);
  yield ['response.output_item.added', { item: opened }];
  switch (block.kind) {
    case 'text': {
      const place = { item_id: id, content_index: 0 };
      yield ['response.content_part.added', { ...place, part: textPart('') }];
      for (const delta of piecesOf(block.text)) yield ['response.output_text.delta', { ...place, delta, logprobs: [] }];
      yield ['response.output_text.done', { ...place, text: block.text, logprobs: [] }];
      yield ['response.content_part.done', { ...place, part: textPart(block.text) }];
      break;
    }
    case 'tool':
      for (const delta of piecesOf(block.text))
        yield ['response.function_call_arguments.delta', { item_id: id, delta }];
      yield ['response.function_call_arguments.done', { item_id: id, arguments: block.text }];
      break;
    case 'text tool':
      for (const delta of piecesOf(block.text)) yield ['response.custom_tool_call_input.delta', { item_id: id, delta }];
      yield ['response.custom_tool_call_input.done', { item_id: id, input: block.text }];
  }
  yield ['response.output_item.done', { item: doneItem(block, id) }];
}

function openItem(block: ComposedBlock, id: string): JsonObject {
  const item = { ...doneItem(block, id), status: 'in_progress' };
  if (block.kind === 'text') return { ...item, content: [] };
  return block.kind === 'tool' ? { ...item, arguments: '' } : { ...item, input: '' };
}

function doneItem(block: ComposedBlock, id: string): JsonObject {
  switch (block.kind) {
    case 'text':
      return { type: 'message', id, status: 'completed', role: 'assistant', content: [textPart(block.text)] };
    case 'tool':
      return {
        type: 'function_call',
        id,
        status: 'completed',
        call_id: block.id,
        name: block.name,
        arguments: block.text,
      };
    case 'text tool':
      return {
        type: 'custom_tool_call',
        id,
        status: 'completed',
        call_id: block.id,
        name: block.name,
        input: block.text,
      };
  }
}

function idOf({ kind }: ComposedBlock): string {
  return newId({ text: 'msg_', tool: 'fc_', 'text tool': 'ctc_' }[kind]);
}

function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function finished(reply: ComposedReply, head: JsonObject, output: JsonObject[]): JsonObject {
  const reason = { max_tokens: 'max_output_tokens', refusal: 'content_filter' }[reply.stopReason as string] ?? null;
  const { input, output: written, cached, total } = openAiUsage(reply.usage);
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: written,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
  };
  return {
    ...head,
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
    output,
    usage: reply.withoutUsage ? null : usage,
  };
}

function envelope({ model }: ComposedReply): JsonObject {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    error: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    store: false,
    tool_choice: 'auto',
    tools: [],
  };
}
