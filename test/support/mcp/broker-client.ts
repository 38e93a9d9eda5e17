import { Egress } from '../../../src/platform/egress/egress.js';
import { McpSession, type McpSessionOptions } from '../../../src/platform/mcp/mcp-session.js';
import { takeSnapshot } from '../../../src/platform/mcp/take-snapshot.js';

/** The outbound guard with loopback let in, as an operator would. */
export function loopbackEgress(): Egress {
  return new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null });
}

/** A session that froze what the server offers right now. */
export async function freezeSession(
  egress: Egress,
  url: string,
  options: Partial<McpSessionOptions> & { credential?: Record<string, string> } = {},
): Promise<McpSession> {
  const { credential = {}, ...rest } = options;
  const { protocolVersion, tools } = await takeSnapshot({ client: egress.guarded, url, headers: credential });
  return new McpSession({
    client: egress.guarded,
    url,
    headers: () => Promise.resolve(credential),
    frozen: { protocolVersion, tools },
    refreshPath: '/v1/connections/c0ffee/tools/refresh',
    ...rest,
  });
}
