import { isExactObject, type ExactJson } from '../../domain/digest/exact-json.js';
import { parseJsonPreservingNumbers } from '../../domain/digest/parse-json.js';
import { SandgateError } from '../../domain/errors.js';
import { notFound, pathId } from '../../domain/resource-id.js';
import type { EventName } from '../../domain/triggers/events/event-names.js';
import { lifecycleAction, readInstallation } from '../../domain/triggers/events/installation-event.js';
import { eventNameOf, mapEvent } from '../../domain/triggers/events/map-event.js';
import type { InstallationEvents, NamedInstallation } from './installation-events.js';
import { isSignedBy } from './verify-signature.js';
import type { WebhookSender, WebhookSenders } from './webhook-senders.js';
import type { WebhookStore } from './webhook-store.js';

/** A request to a webhook's address; anybody can send one. */
export interface IncomingWebhook {
  headers: Readonly<Record<string, unknown>>;
  /** Exactly as it was sent: the signature is over these bytes. */
  body: Buffer;
}

/** What the host hears of a webhook that starts nothing. */
export type SettledWebhook =
  | { ignored: string; installation_id?: string }
  | { handled: string; installation_id: string; connection_id: string; status: string };

/** What the host hears of a webhook that was stored. */
export interface ProcessedWebhook {
  delivery_id: string;
  event_type: EventName;
  duplicate: boolean;
  dispatched: { subscription_id: string; session_id: string }[];
  skipped: { subscription_id: string; reason: string; running_session_id?: string }[];
}

export interface IngressAnswer {
  /** 202: authentic, but nobody of ours that it could be for. */
  status: 200 | 202;
  body: SettledWebhook | ProcessedWebhook;
}

interface VerifiedRequest {
  event: string;
  externalEventId: string;
  text: string;
  payload: ExactJson;
}

/** Spellings of the one connector that has webhooks. */
const CODEHOST = ['codehost', 'codehost_app', 'github', 'github_app'];
/** Of the host's id of an event; hosts send UUIDs. */
const MAX_EVENT_ID = 255;

/**
 * Receives webhooks (docs/design/ingress.md). In this order: whose address it is, its secret, the signature, the headers, the payload.
 * Until the signature verified nothing is stored, and no organization's rows are read but the secret that decides (CP-278).
 */
export class WebhookIngress {
  constructor(
    private readonly senders: WebhookSenders,
    private readonly store: WebhookStore,
    private readonly installations: InstallationEvents,
  ) {}

  /** @throws SandgateError whose status the host shows to whoever set the webhook up */
  async ofConnection(connector: string, id: string, webhook: IncomingWebhook): Promise<IngressAnswer> {
    const connectionId = pathId(id, 'webhook');
    const sender = isCodehost(connector) ? await this.senders.connection(connectionId) : null;
    if (sender === null || sender.provider === 'mcp_http') throw notFound('webhook');
    if (sender.status !== 'active') throw new SandgateError('conflict', 'the connection of this webhook is not active');
    const secret = await this.senders.secretOf(sender);
    if (secret === null)
      throw new SandgateError('invalid_request', 'the connection of this webhook has no webhook secret');
    const verified = verify(secret, webhook);
    if (isOfOtherInstallation(sender, verified.payload)) return ignored(202, eventNameOf(verified.event));
    return this.accept(sender.organizationId, sender.id, verified);
  }

  /** @throws SandgateError as {@link ofConnection} */
  async ofApp(connector: string, id: string, webhook: IncomingWebhook): Promise<IngressAnswer> {
    const registrationId = pathId(id, 'webhook');
    const sender = isCodehost(connector) ? await this.senders.registration(registrationId) : null;
    if (sender?.status !== 'active') throw notFound('webhook');
    const secret = await this.senders.secretOf(sender);
    if (secret === null) throw new SandgateError('unauthorized', 'the app of this webhook has no webhook secret');
    const verified = verify(secret, webhook);
    const named = readInstallation(verified.payload);
    if (verified.event === 'ping' || named === null) return ignored(202, eventNameOf(verified.event));
    const { organizationId } = sender;
    const installation = { organizationId, registrationId, installationId: named.id, accountLogin: named.accountLogin };
    return this.ofInstallation(installation, verified);
  }

  private async ofInstallation(installation: NamedInstallation, verified: VerifiedRequest): Promise<IngressAnswer> {
    const action = lifecycleAction(verified.event, verified.payload);
    const connection =
      action === null
        ? await this.installations.find(installation)
        : await this.installations.follow(action, installation);
    const { installationId: installation_id } = installation;
    if (connection !== null && action !== null) {
      const { id: connection_id, status } = connection;
      return { status: 200, body: { handled: action, installation_id, connection_id, status } };
    }
    if (connection?.status === 'active') return this.accept(connection.tenant_id, connection.id, verified);
    return { status: 202, body: { ignored: eventNameOf(verified.event), installation_id } };
  }

  private async accept(
    organizationId: string,
    connectionId: string,
    verified: VerifiedRequest,
  ): Promise<IngressAnswer> {
    const mapped = mapEvent(verified.event, verified.payload);
    if ('ignored' in mapped) return ignored(200, mapped.ignored);
    const { event } = mapped;
    const { text: payload, externalEventId } = verified;
    const stored = await this.store.store(organizationId, { connectionId, externalEventId, payload, event });
    const skipped = stored.dispatched.map(({ subscription_id }) => ({ subscription_id, reason: 'already_dispatched' }));
    const { deliveryId: delivery_id, duplicate } = stored;
    return { status: 200, body: { delivery_id, event_type: event.type, duplicate, dispatched: [], skipped } };
  }
}

function isCodehost(connector: string): boolean {
  return CODEHOST.includes(connector);
}

function verify(secret: string, { headers, body }: IncomingWebhook): VerifiedRequest {
  if (!isSignedBy(secret, body, headers['x-hub-signature-256']))
    throw new SandgateError('unauthorized', 'X-Hub-Signature-256: is missing, or is not the signature of this body');
  const externalEventId = headerOf(headers, 'X-GitHub-Delivery');
  const event = headerOf(headers, 'X-GitHub-Event');
  if (externalEventId.length > MAX_EVENT_ID)
    throw new SandgateError('invalid_request', `X-GitHub-Delivery: must be at most ${MAX_EVENT_ID} characters`);
  const text = readText(body);
  return { event, externalEventId, text, payload: parseJsonPreservingNumbers(text) };
}

function headerOf(headers: IncomingWebhook['headers'], name: string): string {
  const value = headers[name.toLowerCase()];
  const text = typeof value === 'string' ? value.trim() : '';
  if (text === '') throw new SandgateError('unauthorized', `${name}: is missing`);
  return text;
}

function readText(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (cause) {
    throw new SandgateError('invalid_request', 'the body is not UTF-8', { cause });
  }
}

/**
 * An app has one secret and one address for all who install it. What another installation sends is not this connection's, and its
 * repositories are not those that the organization connected.
 */
function isOfOtherInstallation({ provider, accountId }: WebhookSender, payload: ExactJson): boolean {
  if (provider !== 'codehost_app' || !isExactObject(payload) || payload['installation'] == null) return false;
  return readInstallation(payload)?.id !== accountId;
}

function ignored(status: 200 | 202, name: string): IngressAnswer {
  return { status, body: { ignored: name } };
}
