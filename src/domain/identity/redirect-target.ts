/** Longer than any page of ours needs. */
const MAX_CHARS = 2048;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]|%2f|%5c/i;
const DOT_SEGMENT = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

/**
 * Where a login may lead afterwards: a path on this server that means the same to every reader of it (CP-281), as a header can
 * hold it. Empty is `/`.
 *
 * @returns null for what could lead elsewhere: another host, a path that climbs, one that is decoded twice
 */
export function readRedirectTarget(given: string): string | null {
  if (given === '') return '/';
  if (given.length > MAX_CHARS || !given.startsWith('/') || given.startsWith('//') || FORBIDDEN.test(given))
    return null;
  const [path = ''] = given.split(/[?#]/, 1);
  if (DOT_SEGMENT.test(path)) return null;
  const once = decoded(given);
  const twice = once === null ? null : decoded(once);
  // What a first decoding reveals must pass as it stands, and a second one must reveal nothing.
  if (once === null || twice !== once || FORBIDDEN.test(once)) return null;
  const { pathname, search, hash } = new URL(given, 'https://here');
  return `${pathname}${search}${hash}`;
}

/** Null for a malformed escape. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    if (cause instanceof URIError) return null;
    throw cause;
  }
}
