import { databaseUrlSpans, SECRET_SHAPES } from './secret-shapes.js';

export const REDACTED = '‹redacted›';
const REPLACEMENT_CHARACTER = '\ufffd';

/** NUL and lone surrogates, which neither PostgreSQL nor the ledger's digest can hold, become U+FFFD. */
export function normalizeText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', REPLACEMENT_CHARACTER) : wellFormed;
}

/** Replaces every secret shape by `‹redacted›` (chapter 10 §13). Linear in the text; a text without one comes back as it is. */
export function redactText(text: string): string {
  const normal = normalizeText(text);
  return redactDatabaseUrls(normal).replace(SECRET_SHAPES, REDACTED);
}

function redactDatabaseUrls(text: string): string {
  const spans = databaseUrlSpans(text);
  if (spans.length === 0) return text;
  const pieces: string[] = [];
  let from = 0;
  for (const span of spans) {
    pieces.push(text.slice(from, span.start), REDACTED);
    from = span.end;
  }
  pieces.push(text.slice(from));
  return pieces.join('');
}
