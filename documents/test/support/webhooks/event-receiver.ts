import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { BodyServer } from '../../../../test/support/http/body-server.js';
import type { SignedHeaders } from '../../../src/domain/webhooks/webhook-signature.js';

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
}

/** A receiver of events on a socket of this host, which answers as it is told. */
export class EventReceiver {
  readonly received: ReceivedEvent[] = [];
  answering: (index: number) => ScriptedAnswer = () => ({ status: 204 });

  private constructor(private readonly server: BodyServer) {}

  static async start(): Promise<EventReceiver> {
    const server = await BodyServer.start((request, text, response) => receiver.take(request.headers, text, response));
    const receiver = new EventReceiver(server);
    return receiver;
  }

  get url(): string {
    return this.server.url('/hook');
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
    const answer = this.answering(this.received.length - 1);
    setTimeout(() => response.writeHead(answer.status, answer.headers).end(answer.body), answer.afterMs ?? 0);
  }
}
