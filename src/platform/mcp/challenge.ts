const MAX_SCOPES_CHARS = 200;
const MAX_CHALLENGE_CHARS = 4096;
/** Scheme, then the parameter with that name; a quoted value may hold commas, so quotes are skipped as wholes. */
const PARAMETER = /([A-Za-z][A-Za-z0-9_-]*)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g;

/**
 * The scopes that a `WWW-Authenticate` challenge with `error="insufficient_scope"` asks for (RFC 6750 §3.1), or null for any
 * other challenge. Only the characters of scope tokens are kept, at most 200 of them.
 */
export function insufficientScope(challenge: string | null): string | null {
  const parameters = new Map<string, string>();
  for (const [, name, quoted, plain] of (challenge ?? '').slice(0, MAX_CHALLENGE_CHARS).matchAll(PARAMETER)) {
    const value = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
    if (!parameters.has(name!.toLowerCase())) parameters.set(name!.toLowerCase(), value);
  }
  if (parameters.get('error') !== 'insufficient_scope') return null;
  const scopes = (parameters.get('scope') ?? '')
    .split(/\s+/)
    .filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  return scopes.join(' ').slice(0, MAX_SCOPES_CHARS);
}
