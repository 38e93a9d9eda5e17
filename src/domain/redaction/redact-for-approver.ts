import { createHash } from 'node:crypto';
import type { ExactJson } from '../digest/exact-json.js';
import { mapStrings } from './map-strings.js';
import { secretSpans } from './secret-shapes.js';

/** Shell metacharacters, quotes and white space: a span with one of these might hide what a command does. */
const DECISIVE = /[\s"'`\\;&|<>()$*?[\]{}!#~^%]/;

/**
 * What a person who decides an approval is shown (docs/design/gate.md): the input with secrets replaced by their length and the start of
 * their SHA-256. A span that holds shell metacharacters, quotes or white space is shown as it is.
 */
export function redactForApprover<T extends ExactJson>(value: T): T {
  return mapStrings(value, redactTextForApprover, (key) => key);
}

export function redactTextForApprover(text: string): string {
  let shown = '';
  let from = 0;
  for (const { secret, end } of secretSpans(text)) {
    shown += text.slice(from, secret) + replaceSpan(text.slice(secret, end));
    from = end;
  }
  return shown + text.slice(from);
}

function replaceSpan(span: string): string {
  if (DECISIVE.test(span)) return span;
  const digest = createHash('sha256').update(span).digest('hex').slice(0, 8);
  return `‹redacted:${span.length}:${digest}›`;
}
