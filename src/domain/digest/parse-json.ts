import { SandgateError } from '../errors.js';
import type { ExactJson } from './exact-json.js';
import { jsonSourceText } from './exact-json.js';
import { keptSourceText } from './number-literal.js';

/** Nested arrays and objects; a bare scalar has depth 0. */
const MAX_DEPTH = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Longer runs of digits may exceed 2^53. */
const SAFE_DIGITS = 15;

/** The text nests deeper, or holds more, than is parsed. Whether it is JSON at all was not checked. */
export class JsonBoundsError extends SandgateError {
  constructor(message: string) {
    super('invalid_request', message);
  }
}

/**
 * Parses JSON and keeps each number that is not exactly a double, or is an integer written with a fraction, by its source
 * text (docs/design/gate.md). Duplicate keys: the last wins. Keys such as `__proto__` are plain data.
 * @param maxValues values in all, counted as containers and commas
 * @throws JsonBoundsError for what nests deeper than 128 levels or holds too much, SandgateError `invalid_request` for malformed text
 */
export function parseJsonPreservingNumbers(text: string, maxValues = Number.POSITIVE_INFINITY): ExactJson {
  const shape = scanShape(text, maxValues);
  if (shape === 'too_deep') {
    throw new JsonBoundsError(`the JSON text nests deeper than ${MAX_DEPTH} levels`);
  }
  if (shape === 'too_many') {
    throw new JsonBoundsError(`the JSON text holds more than ${maxValues} values`);
  }
  try {
    if (shape === 'plain') return JSON.parse(text) as ExactJson;
    return jsonSourceText.parse(text, keepInexactNumber) as ExactJson;
  } catch (cause) {
    throw new SandgateError('invalid_request', 'the body is not valid JSON', { cause });
  }
}

function keepInexactNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const kept = keptSourceText(context.source, value);
  return kept === null ? value : jsonSourceText.rawJSON(kept);
}

/** One pass outside strings: bounds the nesting before the recursive reviver runs, and skips the reviver where no number needs it. */
function scanShape(text: string, maxValues: number): 'plain' | 'numbers' | 'too_deep' | 'too_many' {
  let depth = 0;
  let values = 0;
  let digits = 0;
  let special = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = endOfString(text, i);
      digits = 0;
    } else if (code === 0x7b || code === 0x5b) {
      depth++;
      values++;
      if (depth > MAX_DEPTH) return 'too_deep';
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
      digits = 0;
    } else if (code >= 0x30 && code <= 0x39) {
      digits++;
      if (digits > SAFE_DIGITS) special = true;
    } else if (code === 0x2e || (digits > 0 && (code === 0x65 || code === 0x45))) {
      special = true;
    } else {
      digits = 0;
      if (code === 0x2c) values++;
    }
  }
  if (values > maxValues) return 'too_many';
  return special ? 'numbers' : 'plain';
}

/** Index of the quote that ends the string which begins at `start`; the end of the text where none does. */
export function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  return text.length;
}
