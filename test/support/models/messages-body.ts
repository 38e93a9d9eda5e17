import { isJsonObject, type JsonObject } from '../../../src/domain/json.js';

/** Texts of the results of tool uses in a request of the Messages format, in their order. */
export function resultTexts({ messages }: JsonObject): string[] {
  const blocks = Array.isArray(messages) ? messages.flatMap((message) => (message as JsonObject)['content'] ?? []) : [];
  return blocks.flatMap((block) =>
    isJsonObject(block) && block['type'] === 'tool_result' ? [textOf(block['content'] ?? '')] : [],
  );
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

/** The run's task, which the first message of a request is. */
export function taskOf(body: JsonObject): string {
  const [first] = Array.isArray(body['messages']) ? body['messages'] : [];
  const content = isJsonObject(first) ? first['content'] : '';
  const [block] = Array.isArray(content) ? content : [];
  return typeof content === 'string' ? content : isJsonObject(block) ? textOf(block['text']) : '';
}
