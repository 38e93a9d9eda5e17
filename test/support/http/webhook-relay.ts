import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook on its way through, and what it was answered. */
export interface Relayed {
  event: string;
  delivery: string;
  status: number;
  answer: Record<string, unknown>;
}

/** Stands before an address of webhooks and passes everything on as it came, so that a test knows what arrived and what it was answered. */
export class WebhookRelay {
  readonly relayed: Relayed[] = [];
  /** Where they go. */
  target = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookRelay> {
    const server = createServer();
    const relay = new WebhookRelay(server);
    server.on('request', (request, response) => {
      relay.pass(request).then(
        ({ status }) => response.writeHead(status).end(),
        () => response.writeHead(502).end(),
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private async pass(request: IncomingMessage): Promise<Relayed> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const kept = Object.entries(request.headers).filter(([name]) => /^(?:x-|content-type$)/.test(name));
    const headers = Object.fromEntries(kept) as Record<string, string>;
    const response = await fetch(this.target, { method: 'POST', headers, body: Buffer.concat(chunks) });
    const relayed = {
      event: headers['x-github-event'] ?? '',
      delivery: headers['x-github-delivery'] ?? '',
      status: response.status,
      answer: (await response.json()) as Record<string, unknown>,
    };
    this.relayed.push(relayed);
    return relayed;
  }
}
