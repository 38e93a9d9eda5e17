import { SandgateError } from '../errors.js';
import type { JsonObject } from '../json.js';

/** Keys and values together, as UTF-8. */
export const MAX_CONTEXT_BYTES = 8192;

/**
 * The context of an invocation as its template reads it and as the run keeps it: every value a string.
 *
 * @throws SandgateError `invalid_request` naming the key whose value is neither string, number nor boolean, or the size
 */
export function flattenContext(context: JsonObject): Record<string, string> {
  const flat = Object.entries(context).map(([key, value]): [string, string] => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean')
      throw invalid(`${key.slice(0, 80)} must be a string, a number or a boolean`);
    return [key, String(value)];
  });
  const bytes = flat.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (bytes > MAX_CONTEXT_BYTES)
    throw invalid(`its keys and values are ${bytes} bytes; at most ${MAX_CONTEXT_BYTES} are taken`);
  return Object.fromEntries(flat);
}

function invalid(reason: string): SandgateError {
  return new SandgateError('invalid_request', `context: ${reason}`);
}
