/**
 * The one spelling of an OAuth resource (docs/design/oauth.md, RFC 8707): scheme and host in lower case, no default port, no query, no
 * fragment, no slash at the end. What a connection's `oauth.resource` holds, what tokens are asked for, and what metadata of a
 * protected resource has to name.
 *
 * @throws TypeError for what is no absolute URL
 */
export function canonicalResource(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname.replace(/\/+$/, '')}`;
}
