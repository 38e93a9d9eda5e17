import { canonicalJson } from '../digest/canonical-json.js';
import type { ExactJson } from '../digest/exact-json.js';
import { GATE_MESSAGES } from './messages.js';

/** UTF-8 bytes of the canonical form; a person is shown the whole input or is not asked (docs/design/gate.md). */
const MAX_SHOWN_BYTES = 65_536;
/** NUL and lone surrogates, as `JSON.stringify` writes them; a backslash before makes it plain text. */
const UNSHOWABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;

/** Why an input cannot be put before a person, or null when it can. */
export function whyNotShowable(input: ExactJson): string | null {
  const text = canonicalJson(input);
  if (text.length > MAX_SHOWN_BYTES || Buffer.byteLength(text) > MAX_SHOWN_BYTES)
    return GATE_MESSAGES.inputTooLargeToShow;
  return UNSHOWABLE.test(text) ? GATE_MESSAGES.inputNotShowable : null;
}
