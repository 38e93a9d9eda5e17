import { normalizeText } from './normalize-text.js';
import { secretSpans } from './secret-shapes.js';

export const REDACTED = '‹redacted›';

/** Replaces every secret shape by `‹redacted›` (docs/design/events.md). Linear in the text; a text without one comes back as it is. */
export function redactText(text: string): string {
  const normal = normalizeText(text);
  const spans = secretSpans(normal);
  if (spans.length === 0) return normal;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(normal.slice(from, start), REDACTED);
    from = end;
  }
  pieces.push(normal.slice(from));
  return pieces.join('');
}

/** The last characters of a text. Redaction comes before the cut, because half a secret is not recognized any more. */
export function redactEnd(text: string, characters: number): string {
  const clean = redactText(text);
  return clean.length <= characters ? clean : clean.slice(clean.length - characters).toWellFormed();
}
