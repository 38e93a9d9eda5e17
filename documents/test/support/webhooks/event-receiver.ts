import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { BodyServer } from '../../../../test/support/http/body-server.js';
import type { SignedHeaders } from '../../../src/domain/webhooks/webhook-signature.js';

const RECEIVED_WITHIN_MS = 90_000;

/** One request that a webhook made. */
export interface ReceivedEvent {
  headers: IncomingHttpHeaders;
  signed: SignedHeaders;
  text: string;
  body: { id: string; type: string; timestamp: string; apiVersion: string; data: { [name: string]: unknown } };
  at: number;
}

export interface ScriptedAnswer {
  status: number;
  headers?: { [name: string]: string };
  body?: string;
  /** How long the receiver takes. */
  afterMs?: number;
  /** What it waits for first. */
  after?: Promise<void>;
}

/** A receiver of events on a socket of this host, which answers as it is told. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  /** The most requests that waited for their answer at the same time. */
  mostAtOnce = 0;
  answering: (index: number) => ScriptedAnswer = () => ({ status: 204 });
  private waiting = 0;

  private constructor(private readonly server: BodyServer) {}

  static async start(): Promise<EventReceiver> {
    const server = await BodyServer.start((request, text, response) => receiver.take(request.headers, text, response));
    const receiver = new EventReceiver(server);
    return receiver;
  }

  get url(): string {
    return this.server.url('/hook');
  }

  /** Waits until so many requests have come. */
  async untilReceived(count: number): Promise<void> {
    const deadline = Date.now() + RECEIVED_WITHIN_MS;
    while (this.received.length < count) {
      if (Date.now() > deadline) throw new Error(`${this.received.length} of ${count} requests came`);
      await delay(20);
    }
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private take(headers: IncomingHttpHeaders, text: string, response: ServerResponse): void {
    const signed = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    };
    const body = JSON.parse(text) as ReceivedEvent['body'];
    this.received.push({ headers, signed, text, body, at: Date.now() });
    this.mostAtOnce = Math.max(this.mostAtOnce, (this.waiting += 1));
    // Also where the sender has given up.
    response.once('close', () => (this.waiting -= 1));
    const answer = this.answering(this.received.length - 1);
    const send = (): void => void response.writeHead(answer.status, answer.headers).end(answer.body);
    void (answer.after ?? Promise.resolve()).then(() => setTimeout(send, answer.afterMs ?? 0));
  }
}
