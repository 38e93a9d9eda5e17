import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { BodyServer } from './body-server.js';

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

  private constructor(private readonly server: BodyServer) {}

  static async start(): Promise<WebhookReceiver> {
    const server = await BodyServer.start((...of) => receiver.take(...of));
    const receiver = new WebhookReceiver(server);
    return receiver;
  }

  get url(): string {
    return this.server.url('/hook/');
  }

  of(approvalId: string): Received[] {
    return this.received.filter((one) => one.body.data['approval_id'] === approvalId);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private take({ headers }: IncomingMessage, text: string, response: ServerResponse): void {
    this.received.push({ headers, text, body: JSON.parse(text) as Received['body'], at: Date.now() });
    const answer = this.answering(this.received.length - 1);
    if (answer === 'silence') return;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.writeHead(answer.status, answer.headers).end();
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
