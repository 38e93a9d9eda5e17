/**
 * Shapes of secrets that must not rest in the ledger (chapter 10 §13, CP-286). Each alternative starts with a literal and ends in one
 * greedy run of a class, so matching is linear in the text.
 */
export const SECRET_SHAPES =
  /sk-ant-[A-Za-z0-9_-]{8,}|sk-proj-[A-Za-z0-9_-]{16,}|sk-[A-Za-z0-9]{20,}|svc_(?:sess|trig|web|pat|whsec)_[A-Za-z0-9]{8,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|AKIA[A-Z0-9]{16}|xox[baprs]-[A-Za-z0-9-]{10,}|npg_[A-Za-z0-9]{8,}|[Bb][Ee][Aa][Rr][Ee][Rr] [A-Za-z0-9._~+/=-]{16,}/g;

export interface Span {
  start: number;
  /** Exclusive. */
  end: number;
}

const POSTGRES = /postgres(?:ql)?:\/\//g;

/** Spans of `postgres://user:password@`, scheme to `@`. A scan that met no `@` settles every later start inside it, so this is linear too. */
export function databaseUrlSpans(text: string): Span[] {
  if (!text.includes('postgres')) return [];
  const spans: Span[] = [];
  POSTGRES.lastIndex = 0;
  for (let match = POSTGRES.exec(text); match !== null; match = POSTGRES.exec(text)) {
    const authority = match.index + match[0].length;
    const end = endOfCredentials(text, authority);
    if (end.found) spans.push({ start: match.index, end: end.at });
    POSTGRES.lastIndex = end.at;
  }
  return spans;
}

/** Where the credentials that begin at `from` end (after the last `@` of the authority), or how far none was found. */
function endOfCredentials(text: string, from: number): { found: boolean; at: number } {
  let colon = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (isSpace(char)) return { found: false, at: i };
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
    else if (char === '/' || char === '?' || char === '"' || char === "'" || isSpace(char)) break;
  }
  return last;
}

function isSpace(char: string): boolean {
  return char <= ' ' || char === '\u00a0';
}
