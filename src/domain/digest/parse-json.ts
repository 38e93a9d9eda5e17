import { SandgateError } from '../errors.js';
import type { ExactJson } from './exact-json.js';
import { jsonSourceText } from './exact-json.js';
import { keptSourceText } from './number-literal.js';

export interface ParseLimits {
  /** UTF-8 bytes of the text. */
  maxBytes?: number;
  /** Nested arrays and objects; a bare scalar has depth 0. */
  maxDepth?: number;
  /** Values in all, counted as containers and commas; unbounded when absent. */
  maxValues?: number;
}

const DEFAULT_MAX_DEPTH = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Longer runs of digits may exceed 2^53. */
const SAFE_DIGITS = 15;

/**
 * Parses JSON and keeps each number that is not exactly a double, or is an integer written with a fraction, by its source
 * text (06-gate §5). Duplicate keys: the last wins. Keys such as `__proto__` are plain data.
 * Throws `payload_too_large` above `maxBytes` and `invalid_request` for malformed text and what nests too deeply or holds too much.
 */
export function parseJsonPreservingNumbers(text: string, limits: ParseLimits = {}): ExactJson {
  if (limits.maxBytes !== undefined && exceedsBytes(text, limits.maxBytes)) {
    throw new SandgateError('payload_too_large', `the JSON text is larger than ${limits.maxBytes} bytes`);
  }
  const maxDepth = limits.maxDepth ?? DEFAULT_MAX_DEPTH;
  const maxValues = limits.maxValues ?? Number.POSITIVE_INFINITY;
  const shape = scanShape(text, maxDepth, maxValues);
  if (shape === 'too_deep') {
    throw new SandgateError('invalid_request', `the JSON text nests deeper than ${maxDepth} levels`);
  }
  if (shape === 'too_many') {
    throw new SandgateError('invalid_request', `the JSON text holds more than ${maxValues} values`);
  }
  try {
    if (shape === 'plain') return JSON.parse(text) as ExactJson;
    return jsonSourceText.parse(text, keepInexactNumber) as ExactJson;
  } catch (cause) {
    throw new SandgateError('invalid_request', 'the body is not valid JSON', { cause });
  }
}

function exceedsBytes(text: string, maxBytes: number): boolean {
  return text.length > maxBytes || (text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes);
}

function keepInexactNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  const kept = keptSourceText(context.source, value);
  return kept === null ? value : jsonSourceText.rawJSON(kept);
}

/** One pass outside strings: bounds the nesting before the recursive reviver runs, and skips the reviver where no number needs it. */
function scanShape(text: string, maxDepth: number, maxValues: number): 'plain' | 'numbers' | 'too_deep' | 'too_many' {
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
      if (depth > maxDepth) return 'too_deep';
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

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i;
  }
  return text.length;
}
