import { request as send } from 'node:http';
import { serveLocally, type LocalServer } from './local-server.js';

export interface ProtectedMcp extends LocalServer {
  endpoint: string;
  /** Distinct tokens that it let through, in order. */
  tokens: string[];
}

/** Puts a resource server's guard before a real MCP server: tokens of its authorization server only, metadata for everybody. */
export async function protect(
  upstream: string,
  issuer: { url: string; accepts(token: string, resource: string): Promise<boolean> },
): Promise<ProtectedMcp> {
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  const tokens: string[] = [];
  const local: LocalServer = await serveLocally((request, response) => {
    const resource = `${local.url}/mcp`;
    if (request.url === metadata) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ resource, authorization_servers: [issuer.url] }));
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    void issuer.accepts(token, resource).then((accepted) => {
      if (!accepted) {
        response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${local.url}${metadata}"` }).end();
        return;
      }
      if (!tokens.includes(token)) tokens.push(token);
      const { host: _host, authorization: _token, ...headers } = request.headers;
      const forward = send(upstream, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      forward.on('error', () => response.destroy());
      request.pipe(forward);
    });
  });
  return { ...local, endpoint: `${local.url}/mcp`, tokens };
}
