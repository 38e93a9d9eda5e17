import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { ResultBody } from '../../../src/domain/deliveries/result-body.js';
import { callbackSignature, standardSecret } from '../../../src/domain/deliveries/webhook-headers.js';
import { BodyServer } from '../http/body-server.js';

/** One request that brought a result. */
export interface ReceivedResult {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: ResultBody;
  at: number;
  /** In both ways with the secret of the receiver, as it was seen on arrival: receivers refuse what was signed minutes ago. */
  signed: boolean;
}

/** What a receiver does: answers a status, redirects, says nothing, or cuts the connection. */
export type Manner = number | 'redirect' | 'silence' | 'cut';

/** Receivers of results, one for each path of one server. */
export class ResultReceiver {
  readonly received: ReceivedResult[] = [];
  /** That of the callbacks. */
  secret: string | undefined;
  /** By path and number of the request there, from 1. */
  manner: (path: string, index: number) => Manner = () => 204;
  private readonly counts = new Map<string, number>();

  private constructor(private readonly server: BodyServer) {}

  static async start(): Promise<ResultReceiver> {
    const server = await BodyServer.start((...of) => receiver.take(...of));
    const receiver = new ResultReceiver(server);
    return receiver;
  }

  url(path: string): string {
    return this.server.url(path);
  }

  of(deliveryId: string): ReceivedResult[] {
    return this.received.filter(({ body }) => body.delivery_id === deliveryId);
  }

  close(): Promise<void> {
    return this.server.close();
  }

  private take({ url: path = '', headers }: IncomingMessage, text: string, response: ServerResponse): void {
    const body = JSON.parse(text) as ResultBody;
    const signed = this.secret !== undefined && isSigned(this.secret, headers as Record<string, string>, text, body);
    this.received.push({ path, headers, text, body, at: Date.now(), signed });
    const index = (this.counts.get(path) ?? 0) + 1;
    this.counts.set(path, index);
    const manner = this.manner(path, index);
    if (manner === 'cut') response.destroy();
    else if (manner === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end();
    else if (manner !== 'silence') response.writeHead(manner).end();
  }
}

/** Whether a request is signed in both ways, and by the header's delivery. */
function isSigned(secret: string, given: Record<string, string>, text: string, body: ResultBody): boolean {
  const own = callbackSignature(secret, Number(given['x-service-timestamp']), text);
  try {
    new Webhook(standardSecret(secret)).verify(text, given);
  } catch (cause) {
    if (cause instanceof WebhookVerificationError) return false;
    throw cause;
  }
  return (
    given['x-service-signature'] === own &&
    given['x-service-delivery'] === body.delivery_id &&
    given['webhook-id'] === body.delivery_id
  );
}
