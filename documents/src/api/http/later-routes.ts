/** Addresses that a later release has, so that whoever asks there learns that the name is right. */
const LATER: readonly (readonly [RegExp, string])[] = [
  [/^\/mcp(\/|$)/, 'tools over MCP'],
  [/^\/oauth\/(authorize|device|device_authorization|register|revoke|introspect)$/, 'logins of people'],
  [
    /^\/\.well-known\/(oauth-authorization-server|openid-configuration|oauth-protected-resource)(\/|$)/,
    'logins of people',
  ],
];

/** The part of the service that an address belongs to and that this release lacks; null for every other address. */
export function laterPart(url: string): string | null {
  const path = url.split('?', 1)[0] ?? '';
  return LATER.find(([pattern]) => pattern.test(path))?.[1] ?? null;
}
