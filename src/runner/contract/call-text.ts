import type { JsonValue } from '../../domain/json.js';

/** A tool call as it is put to the gate; the id is the same on every presentation of the same call. */
export interface ToolCallRequest {
  toolCallId: string;
  tool: string;
  input: JsonValue;
}

/** Nested deeper than the gate reads; it denies and records such a call. */
const TOO_DEEP_LEVELS = 1_000;

/**
 * A call as JSON text, made once for all its presentations. An input that nests too deep to be written is presented as one that
 * nests too deep to be judged, because a call that cannot be written would never be answered.
 */
export function callText({ toolCallId, tool, input }: ToolCallRequest): string {
  const named = { tool_call_id: toolCallId, tool };
  try {
    return JSON.stringify({ ...named, input });
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const deep = '['.repeat(TOO_DEEP_LEVELS) + ']'.repeat(TOO_DEEP_LEVELS);
    return `${JSON.stringify(named).slice(0, -1)},"input":${deep}}`;
  }
}
