import type { GuardedRequest } from './guarded-request.js';

/** One request of a chain of redirects. */
export interface Hop {
  url: string;
  method: GuardedRequest['method'];
  headers: Record<string, string>;
  body: Buffer | string | undefined;
}

/** Headers that may be sent to an origin that the caller did not name: none that could be a credential. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'user-agent',
]);

/**
 * The request that an answer asks for, as `fetch` would make it: 303, and 301 or 302 of a POST, turn into GET.
 *
 * @returns null when the answer asks for none
 */
export function nextHop(from: URL, hop: Hop, status: number, location: string | null): Hop | null {
  if (![301, 302, 303, 307, 308].includes(status) || location === null) return null;
  // An unreadable address is refused where every hop is judged.
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  const asGet = (status === 303 && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST');
  const sameOrigin = url?.origin === from.origin;
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (sameOrigin || ANYWHERE.has(name)) && !(asGet && name.startsWith('content-')),
  );
  return {
    url: url?.href ?? location,
    method: asGet ? 'GET' : hop.method,
    headers: Object.fromEntries(headers),
    body: asGet ? undefined : hop.body,
  };
}
