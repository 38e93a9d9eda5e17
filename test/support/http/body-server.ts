import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on a socket that hands over each request with its whole body. */
export class BodyServer {
  private constructor(private readonly server: Server) {}

  static async start(
    take: (request: IncomingMessage, text: string, response: ServerResponse) => void,
  ): Promise<BodyServer> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => take(request, Buffer.concat(chunks).toString(), response));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BodyServer(server);
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}
