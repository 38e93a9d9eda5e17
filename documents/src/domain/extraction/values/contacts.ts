/** A part of a text. */
export interface TextSpan {
  from: number;
  to: number;
}

const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,6}\p{L}{2,24}/gu;
const URI =
  /(?:https?:\/\/|www\.)[^\s<>"'()[\]{}|,;]{3,300}|(?:[a-z0-9-]{2,40}\.){1,3}(?:com|org|net|io|dev|edu|gov|eu|info|de|fr|uk|nl|ch|at)(?:\/[^\s<>"'()[\]{}|,;]{0,200})?/giu;
const PHONE = /(?:\+|\(\+?|00)?\d(?:[\s\-./()]{0,3}\d){6,14}/gu;

export function findEmails(text: string): TextSpan[] {
  return [...text.matchAll(EMAIL)].map(spanOf);
}

/** Addresses in the web; no part of an email address. */
export function findUris(text: string): TextSpan[] {
  return [...text.matchAll(URI)]
    .map(spanOf)
    .filter(({ from, to }) => !/[@\p{L}\p{N}.-]$/u.test(text.slice(0, from)) && !/^@/u.test(text.slice(to)))
    .map(({ from, to }) => ({ from, to: from + text.slice(from, to).replace(/[.:!?]+$/u, '').length }));
}

/** Rows of seven to fifteen digits as telephones are written; dates and amounts are none. */
export function findPhones(text: string): TextSpan[] {
  return [...text.matchAll(PHONE)].map(spanOf).filter((span) => isPhone(text, span));
}

function isPhone(text: string, { from, to }: TextSpan): boolean {
  const said = text.slice(from, to);
  if (/[\p{L}\p{N}_]$|\d[-/.,:]$/u.test(text.slice(Math.max(0, from - 2), from)) || /^[\p{N}_]/u.test(text.slice(to)))
    return false;
  if (/^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}(?:\s|$)/u.test(said) || /\.\d{2}$/u.test(said)) return false;
  return digitsOf(said) >= 7 && digitsOf(said) <= 15;
}

const digitsOf = (text: string): number => text.replaceAll(/\D/gu, '').length;

function spanOf(match: RegExpExecArray): TextSpan {
  return { from: match.index, to: match.index + match[0].length };
}
