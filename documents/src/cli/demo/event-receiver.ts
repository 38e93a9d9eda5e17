import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseJsonObject, type JsonObject } from '../../../../src/domain/json.js';
import { refuseWebhook, type SignedHeaders, type WebhookRefusal } from '../../domain/webhooks/webhook-signature.js';

/** A request as it came. */
interface Received {
  headers: Partial<SignedHeaders>;
  body: string;
}

/** What the checks of a receiver made of a request. */
export interface CheckedEvent {
  event: JsonObject;
  /** Of the request as it came: null, it is good. */
  genuine: WebhookRefusal | null;
  /** Of the same request once more, and with another body. */
  repeated: WebhookRefusal | null;
  altered: WebhookRefusal | null;
}

/** Somebody who is told of events, on this host. */
export class DemoReceiver {
  private readonly received: Received[] = [];
  private tell: () => void = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<DemoReceiver> {
    const server = createServer();
    const receiver = new DemoReceiver(server);
    server.on('request', (request, reply) => {
      const header = (name: keyof SignedHeaders) => {
        const value = request.headers[name];
        return typeof value === 'string' ? { [name]: value } : {};
      };
      text(request).then(
        (body) => {
          const headers = { ...header('webhook-id'), ...header('webhook-timestamp'), ...header('webhook-signature') };
          receiver.received.push({ headers, body });
          reply.writeHead(204).end();
          receiver.tell();
        },
        () => reply.destroy(),
      );
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/events`;
  }

  /** The event of a run, checked as a receiver should; null when none has come in time. */
  async eventOf(extractionId: string, secret: string, withinMs: number): Promise<CheckedEvent | null> {
    const until = Date.now() + withinMs;
    for (;;) {
      const found = this.received.find(({ body }) => body.includes(extractionId));
      if (found !== undefined) return check(found, secret);
      if (Date.now() >= until) return null;
      await new Promise<void>((done) => {
        const timer = setTimeout(done, until - Date.now());
        this.tell = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function check({ headers, body }: Received, secret: string): CheckedEvent {
  const [now, seen] = [new Date(), new Set<string>()];
  return {
    event: parseJsonObject(body) ?? {},
    genuine: refuseWebhook(secret, headers, body, { now, seen }),
    repeated: refuseWebhook(secret, headers, body, { now, seen }),
    altered: refuseWebhook(secret, headers, `${body} `, { now, seen: new Set() }),
  };
}
