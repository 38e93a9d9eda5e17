import type { JsonObject, JsonValue } from '../../../domain/json.js';
import { isJsonObject } from '../../../domain/json.js';

/** The formats in which the scripted model speaks, by the last word of their path. */
export type WireName = 'messages' | 'chat' | 'responses';

/** One line group of a stream: `event:` when it has a name, then `data:`. */
export interface WireEvent {
  name?: string;
  data: JsonObject | '[DONE]';
}

/** What a tool answered, as the model was told. */
export interface ToolResult {
  id: string;
  text: string;
  /** Only the Messages format says so; in the others it stands in the text. */
  isError: boolean;
}

/** Everything in a conversation that a model said, in order: its turns are the groups between what others said. */
export function modelTurns(wire: WireName, body: JsonObject): number {
  const items = itemsOf(wire, body).filter((item) => item['type'] !== 'reasoning');
  return items.filter((item, index) => isOfModel(item) && !isOfModel(items[index - 1] ?? {})).length;
}

/** Results of tools in a request, in order of the conversation. */
export function toolResults(wire: WireName, body: JsonObject): ToolResult[] {
  const items = itemsOf(wire, body);
  switch (wire) {
    case 'messages':
      return items
        .flatMap((item) => objectsIn(item['content']))
        .filter((block) => block['type'] === 'tool_result')
        .map((block) => ({
          id: stringIn(block, 'tool_use_id'),
          text: plainText(block['content']),
          isError: block['is_error'] === true,
        }));
    case 'chat':
      return items
        .filter((item) => item['role'] === 'tool')
        .map((item) => ({ id: stringIn(item, 'tool_call_id'), text: plainText(item['content']), isError: false }));
    case 'responses':
      return items
        .filter((item) => stringIn(item, 'type').endsWith('_call_output'))
        .map((item) => ({ id: stringIn(item, 'call_id'), text: plainText(item['output']), isError: false }));
  }
}

/** Messages or items of the conversation that a request carries. */
export function itemsOf(wire: WireName, body: JsonObject): JsonObject[] {
  return objectsIn(body[wire === 'responses' ? 'input' : 'messages']);
}

export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isJsonObject(one)) : [];
}

export function stringIn(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : '';
}

function isOfModel(item: JsonObject): boolean {
  return item['role'] === 'assistant' || /(?:^|_)call$/.test(stringIn(item, 'type'));
}

/** A text, or the texts of a list of parts. */
function plainText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => stringIn(part, 'text'))
    .join('');
}
