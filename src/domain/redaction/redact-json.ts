import type { ExactJson } from '../digest/exact-json.js';
import { mapStrings } from './map-strings.js';
import { normalizeText } from './normalize-text.js';
import { redactText } from './redact-text.js';

/**
 * What every event passes before it is digested and stored (docs/design/events.md): secret shapes in string values at any depth become
 * `‹redacted›`; keys are not redacted; NUL and lone surrogates become U+FFFD in both. The argument is not changed.
 */
export function redactJson<T extends ExactJson>(value: T): T {
  return mapStrings(value, redactText, normalizeText);
}
