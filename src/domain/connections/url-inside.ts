/**
 * Whether an address lies inside a credential's audience: same scheme, host and effective port, and a path that is the base's or
 * continues it after a slash (docs/design/connections.md). False for anything but an http(s) URL.
 */
export function isUrlInside(base: string, address: string): boolean {
  const outer = httpUrl(base);
  const inner = httpUrl(address);
  if (outer === null || inner === null || outer.origin !== inner.origin) return false;
  const prefix = outer.pathname.endsWith('/') ? outer.pathname : `${outer.pathname}/`;
  return inner.pathname === outer.pathname || inner.pathname.startsWith(prefix);
}

function httpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url : null;
}
