import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A token endpoint that gives what a test tells it, and writes down what it was sent. */
export class TokenEndpoint {
  /** Authorization header and body of each request. */
  readonly requests: { authorization: string; body: string }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(answer: { access_token: string; refresh_token: string }): Promise<TokenEndpoint> {
    const server = createServer();
    const endpoint = new TokenEndpoint(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { authorization = '' } = request.headers;
        endpoint.requests.push({ authorization, body: Buffer.concat(parts).toString() });
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ...answer, token_type: 'Bearer', expires_in: 3600 }));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return endpoint;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
