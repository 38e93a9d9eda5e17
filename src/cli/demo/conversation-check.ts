import { isJsonObject } from '../../domain/json.js';
import type { JsonObject, JsonValue } from '../../domain/json.js';

/**
 * What a real provider refuses about a conversation, as a sentence, or null. Above all: every tool use of a reply must be
 * answered in the very next message, or a client that loses a result would pass unnoticed.
 */
export function conversationProblem(body: JsonObject): string | null {
  const { model, messages, max_tokens: maxTokens } = body;
  if (typeof model !== 'string' || model === '') return 'model: field required';
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required';
  if (maxTokens !== undefined && !(typeof maxTokens === 'number' && maxTokens >= 1))
    return 'max_tokens: must be at least 1';
  for (const [index, message] of messages.entries()) {
    const called = blocksOf(message, 'assistant', 'tool_use').map((block) => block['id']);
    if (called.length === 0) continue;
    const answered = new Set(
      blocksOf(messages[index + 1] ?? null, 'user', 'tool_result').map((block) => block['tool_use_id']),
    );
    const missing = called.find((id) => id === undefined || !answered.has(id));
    if (missing !== undefined)
      return `messages.${index + 1}: tool_use ${JSON.stringify(missing)} has no tool_result immediately after it`;
  }
  return null;
}

function blocksOf(message: JsonValue, role: string, type: string): JsonObject[] {
  if (!isJsonObject(message) || message['role'] !== role || !Array.isArray(message['content'])) return [];
  return message['content'].filter((block) => isJsonObject(block)).filter((block) => block['type'] === type);
}
