import { isJsonObject, type JsonObject, type JsonValue } from '../../../domain/json.js';
import type { ScriptedError, ScriptedUsage } from './model-script.js';

/** What both formats of OpenAI have in common. */
export interface OpenAiUsage {
  input: number;
  output: number;
  cached: number;
  total: number;
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  404: 'invalid_request_error',
  429: 'requests',
};

/** These formats count what the cache held as part of the input. */
export function openAiUsage(usage: ScriptedUsage): OpenAiUsage {
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  return {
    input,
    output: usage.output_tokens,
    cached: usage.cache_read_input_tokens,
    total: input + usage.output_tokens,
  };
}

export function openAiError({ status, type, message }: ScriptedError): JsonObject {
  const code = status === 429 ? 'rate_limit_exceeded' : status === 401 ? 'invalid_api_key' : null;
  const kind = type ?? ERROR_TYPES[status] ?? 'server_error';
  return { error: { message: message ?? kind, type: kind, param: null, code } };
}

export function isOf(value: JsonValue | undefined): value is JsonObject {
  return value !== undefined && isJsonObject(value);
}
