import { endOfString } from './parse-json.js';

const QUOTE = 0x22;
const OPENING = new Set([0x7b, 0x5b]);
const CLOSING = new Set([0x7d, 0x5d]);
const COLON_AND_VALUE = /\s*:\s*/y;

/**
 * String members of the outermost object of a JSON text, read without parsing their neighbours: of a text that is too deep or
 * too large to be parsed, these can still be named. The last member of a name counts, and hides an earlier one if it is no string.
 */
export function readOuterStrings(text: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code)) depth--;
    if (code !== QUOTE) continue;
    const end = endOfString(text, i);
    const value = depth === 1 ? valueAfter(text, end + 1) : null;
    if (value === null) {
      i = end;
      continue;
    }
    const name = readString(text, i, end);
    const quoted = text.charCodeAt(value) === QUOTE;
    const valueEnd = quoted ? endOfString(text, value) : value - 1;
    if (name !== null && names.includes(name)) {
      const member = quoted ? readString(text, value, valueEnd) : null;
      if (member === null) found.delete(name);
      else found.set(name, member);
    }
    i = valueEnd;
  }
  return found;
}

/** Where the value begins, if a colon follows; null where the string is no member's name. */
function valueAfter(text: string, from: number): number | null {
  COLON_AND_VALUE.lastIndex = from;
  return COLON_AND_VALUE.test(text) ? COLON_AND_VALUE.lastIndex : null;
}

/** Null for what is no JSON string. */
function readString(text: string, start: number, end: number): string | null {
  try {
    return JSON.parse(text.slice(start, end + 1)) as string;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}
