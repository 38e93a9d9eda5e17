import type { Span } from './span.js';

const SCHEME = /[A-Za-z0-9+.-]/;
const MAX_SCHEME = 24;
/** Not anchored: an escape may stand before the scheme, as in JSON. */
const POSTGRES = /postgres(?:ql)?$/i;
/** Ends the authority of a URL. */
const AFTER_AUTHORITY = new Set(['/', '?', '#', '\\', '"', "'", '<', '>', '`']);
/** What the redactor writes; the secret behind it is gone already. */
const MARK = '‹redacted';

/**
 * Spans of `scheme://user:password@`, scheme to `@`. A password of a database may hold slashes. A scan that met no `@` also
 * answers for every later start inside it, so this is linear.
 */
export function credentialUrlSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (let at = text.indexOf('://'); at !== -1;) {
    const start = startOfScheme(text, at);
    const end = start === at ? null : endOfCredentials(text, at + 3, POSTGRES.test(text.slice(start, at)));
    if (end?.found === true) spans.push({ start, end: end.at, secret: start });
    at = text.indexOf('://', Math.max(at + 3, end?.at ?? 0));
  }
  return spans;
}

function startOfScheme(text: string, colon: number): number {
  let start = colon;
  while (start > 0 && colon - start < MAX_SCHEME && SCHEME.test(text[start - 1]!)) start--;
  return start;
}

/** Where the credentials that begin at `from` end (after the last `@` of the authority), or how far none was found. */
function endOfCredentials(text: string, from: number, slashes: boolean): { found: boolean; at: number } {
  let colon = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (isSpace(char) || (char === '‹' && text.startsWith(MARK, i))) return { found: false, at: i };
    if (!slashes && AFTER_AUTHORITY.has(char)) return { found: false, at: i };
    if (char === ':') colon = true;
    if (char === '@') return colon ? { found: true, at: lastAtSign(text, i) + 1 } : { found: false, at: i };
  }
  return { found: false, at: text.length };
}

/** A password may hold `@`: up to the next `/`, `?`, quote or space another `@` still ends credentials. */
function lastAtSign(text: string, first: number): number {
  let last = first;
  for (let i = first + 1; i < text.length; i++) {
    const char = text[i]!;
    if (char === '@') last = i;
    else if (AFTER_AUTHORITY.has(char) || isSpace(char) || (char === '‹' && text.startsWith(MARK, i))) break;
  }
  return last;
}

function isSpace(char: string): boolean {
  return char <= ' ' || char === '\u00a0';
}
