const MCP_PREFIX = 'mcp__';

/** Only a lower-case start counts; `MCP__kb__x` is an ordinary unknown tool (docs/design/tools.md). */
export function isMcpName(name: string): boolean {
  return name.startsWith(MCP_PREFIX);
}

/** Server and tool of `mcp__<server>__<tool>`, split at the first `__` after the prefix; null when a half is empty or missing. */
export function parseMcpName(name: string): { server: string; tool: string } | null {
  if (!isMcpName(name)) return null;
  const rest = name.slice(MCP_PREFIX.length);
  const split = rest.indexOf('__');
  if (split <= 0) return null;
  const tool = rest.slice(split + 2);
  return tool === '' ? null : { server: rest.slice(0, split), tool };
}
