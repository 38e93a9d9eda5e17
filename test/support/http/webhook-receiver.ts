import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request that a webhook made. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  body: { type: string; timestamp: string; data: Record<string, unknown> };
  at: number;
}

/** What the receiver does with a request: a status to answer, or nothing at all. */
export type Answering = (index: number) => number | 'silence' | { status: number; headers: Record<string, string> };

/** A receiver of webhooks on a socket that answers as it is told. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  answering: Answering = () => 204;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        receiver.received.push({
          headers: request.headers,
          text,
          body: JSON.parse(text) as Received['body'],
          at: Date.now(),
        });
        const answer = receiver.answering(receiver.received.length - 1);
        if (answer === 'silence') return;
        if (typeof answer === 'number') response.writeHead(answer).end();
        else response.writeHead(answer.status, answer.headers).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook/`;
  }

  of(approvalId: string): Received[] {
    return this.received.filter((one) => one.body.data['approval_id'] === approvalId);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }
}

/** The check of a receiver, written from the text of Standard Webhooks and not from the library that signs. */
export function verifiesStandardWebhook(secret: string, { headers, text }: Received, now = Date.now()): boolean {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name]),
  ) as [string, string, string];
  if (Math.abs(now / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest();
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
