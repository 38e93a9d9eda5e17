import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An MCP server that asks for a credential and describes its authorization server, as far as a connect flow is started. */
export class OAuthDescribedServer {
  /** Answers nothing useful about its authorization server from now on. */
  silent = false;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OAuthDescribedServer> {
    const server = createServer();
    const described = new OAuthDescribedServer(server);
    server.on('request', (request, response) => {
      request.resume();
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      if (path === '/mcp') {
        const metadata = `${described.origin}/.well-known/oauth-protected-resource/mcp`;
        response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end();
        return;
      }
      const document = described.silent ? undefined : described.documents()[path];
      response.writeHead(document === undefined ? 404 : path === '/register' ? 201 : 200, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify(document ?? {}));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return described;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/mcp`;
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private documents(): Record<string, object> {
    const { origin } = this;
    return {
      '/.well-known/oauth-protected-resource/mcp': { resource: this.url, authorization_servers: [origin] },
      '/.well-known/oauth-authorization-server': {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        code_challenge_methods_supported: ['S256'],
        scopes_supported: ['read', 'offline_access'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      },
      '/register': { client_id: 'registered-client' },
    };
  }
}
