import { digestOfText } from '../../domain/digest/digest.js';
import { isExactObject, type ExactJson, type ExactObject } from '../../domain/digest/exact-json.js';
import { EgressError } from '../egress/egress-error.js';
import type { GuardedClient } from '../egress/guarded-client.js';
import type { GuardedResponse } from '../egress/guarded-request.js';
import { readMessages, release } from './answer-reader.js';
import { ExchangeError } from './exchange-error.js';
import {
  MAX_BODY_BYTES,
  MAX_SERVER_REQUESTS,
  REQUEST_TIMEOUT_MS,
  SERVER_REQUESTS_WITHIN_MS,
  SHORT_TIMEOUT_MS,
} from './limits.js';
import { notificationText, readMessage, refusalText, requestText } from './rpc-message.js';

/** What is needed of the outbound guard. */
export type UpstreamClient = Pick<GuardedClient, 'request'>;

/** What all requests of one call have in common. */
export interface CallContext {
  /** The credential's headers. */
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface ConnectionSettings {
  client: UpstreamClient;
  url: string;
  requestTimeoutMs?: number | undefined;
}

/** Visible ASCII, as the protocol asks of session ids. */
const SESSION_ID = /^[\x21-\x7e]{1,1024}$/;

/**
 * Speaks JSON-RPC over streamable HTTP with one session id, one protocol version and one counter of ids (docs/design/broker.md).
 * It opens no stream of its own, keeps no cookie, resumes and repeats nothing, and refuses whatever the server asks.
 */
export class McpConnection {
  private nextId = 0;
  private session: string | null = null;
  private version: string | null = null;

  constructor(private readonly settings: ConnectionSettings) {}

  get sessionId(): string | null {
    return this.session;
  }

  /** The version that `initialize` negotiated; it is sent with everything from here on. */
  begin(version: string): void {
    this.version = version;
  }

  /** Forgets session and version; ids go on. */
  reset(): void {
    this.session = null;
    this.version = null;
  }

  /**
   * The result of one request.
   * @throws ExchangeError
   */
  async request(method: string, params: ExactObject, context: CallContext): Promise<ExactObject> {
    const id = this.nextId++;
    const inSession = this.session !== null;
    try {
      const response = await this.post(requestText(id, method, params), context, this.requestTimeoutMs);
      if (response.status >= 400) throw statusError(response, method, inSession);
      return resultOf(await this.findAnswer(response, id, context));
    } catch (cause) {
      if (isGivenUp(cause) && method !== 'initialize') this.cancel(id, context);
      throw describe(method, cause);
    }
  }

  /** The outcome of a notification does not matter. */
  async notify(method: string, context: CallContext): Promise<void> {
    await this.tell(notificationText(method, null), context, this.requestTimeoutMs);
  }

  /** Ends the upstream session; false when it could not be asked to. */
  async end({ headers }: Pick<CallContext, 'headers'>): Promise<boolean> {
    return endSession({ ...this.settings, headers, sessionId: this.session, protocolVersion: this.version });
  }

  private get requestTimeoutMs(): number {
    return this.settings.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  }

  /** Reads up to the message with our id; requests of the server are refused on the way, in their order. */
  private async findAnswer(response: GuardedResponse, id: number, context: CallContext): Promise<ExactObject> {
    let refused = 0;
    let spentMs = 0;
    for await (const value of readMessages(response)) {
      const message = readMessage(value);
      if (message.kind === 'response' && message.id === id) return message.message;
      if (message.kind !== 'request') continue;
      refused += 1;
      if (refused > MAX_SERVER_REQUESTS) throw unclear(`the server sent more than ${MAX_SERVER_REQUESTS} requests`);
      const started = performance.now();
      await this.tell(refusalText(message.id), context, SHORT_TIMEOUT_MS);
      spentMs += performance.now() - started;
      if (spentMs > SERVER_REQUESTS_WITHIN_MS) throw unclear("refusing the server's requests took too long");
    }
    throw unclear('the answer ended without a message that answers the request');
  }

  private async post(body: string, context: CallContext, timeoutMs: number): Promise<GuardedResponse> {
    const response = await this.settings.client.request({
      method: 'POST',
      url: this.settings.url,
      headers: {
        ...context.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...sessionHeaders(this.session, this.version),
      },
      body,
      signal: context.signal,
      timeoutMs,
      maxBodyBytes: MAX_BODY_BYTES,
      redirects: 'refuse',
    });
    const issued = response.headers.get('mcp-session-id');
    if (issued !== null && SESSION_ID.test(issued)) this.session = issued;
    return response;
  }

  /** Sends what has no answer. */
  private async tell(body: string, context: CallContext, timeoutMs: number): Promise<void> {
    try {
      release((await this.post(body, context, timeoutMs)).body);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
    }
  }

  /** Asks the server to cancel a request that was given up; its answer is not waited for. */
  private cancel(requestId: number, { headers }: CallContext): void {
    const text = notificationText('notifications/cancelled', { requestId, reason: 'the caller gave up' });
    void this.tell(text, { headers, signal: AbortSignal.timeout(SHORT_TIMEOUT_MS) }, SHORT_TIMEOUT_MS);
  }
}

export interface EndSessionRequest extends ConnectionSettings {
  headers: Record<string, string>;
  sessionId: string | null;
  protocolVersion: string | null;
}

/** Asks an upstream to end a session, which any process may do; false when there is none or it could not be asked. Takes 5 s at most. */
export async function endSession(request: EndSessionRequest): Promise<boolean> {
  const { client, url, headers, sessionId, protocolVersion } = request;
  if (sessionId === null) return false;
  try {
    const response = await client.request({
      method: 'DELETE',
      url,
      headers: { ...headers, ...sessionHeaders(sessionId, protocolVersion) },
      timeoutMs: SHORT_TIMEOUT_MS,
      maxBodyBytes: MAX_BODY_BYTES,
      redirects: 'refuse',
    });
    release(response.body);
    return true;
  } catch (error) {
    if (error instanceof EgressError) return error.sent;
    throw error;
  }
}

function sessionHeaders(sessionId: string | null, version: string | null): Record<string, string> {
  return {
    ...(sessionId === null ? {} : { 'mcp-session-id': sessionId }),
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
  };
}

function resultOf(message: ExactObject): ExactObject {
  if (message['jsonrpc'] !== '2.0') throw unclear('the answer is not JSON-RPC 2.0');
  const error = message['error'];
  if (error !== undefined) throw new ExchangeError({ kind: 'error', code: codeOf(error) }, errorText(error));
  const result = message['result'];
  if (result === undefined || !isExactObject(result)) {
    throw new ExchangeError({ kind: 'invalid' }, 'the answer has no result');
  }
  return result;
}

function codeOf(error: ExactJson): number | null {
  const code = isExactObject(error) ? error['code'] : undefined;
  return typeof code === 'number' ? code : null;
}

/** Enough to find the message in the upstream's own log, and none of its words. */
function errorText(error: ExactJson): string {
  const words = isExactObject(error) ? error['message'] : undefined;
  const digest = typeof words === 'string' ? digestOfText(words).slice(0, 'sha256:'.length + 16) : 'none';
  return `upstream error ${codeOf(error) ?? 'without a code'} (message ${digest})`;
}

function statusError(response: GuardedResponse, method: string, inSession: boolean): ExchangeError {
  const { status, headers, body } = response;
  release(body);
  const challenge = headers.get('www-authenticate');
  return new ExchangeError(
    { kind: 'status', method, status, inSession, challenge },
    `upstream answered HTTP ${status}`,
  );
}

function unclear(message: string): ExchangeError {
  return new ExchangeError({ kind: 'unclear' }, message);
}

function isGivenUp(cause: unknown): boolean {
  return cause instanceof EgressError && cause.sent && (cause.reason === 'aborted' || cause.reason === 'timeout');
}

/** Every failure names the method that failed. */
function describe(method: string, cause: unknown): unknown {
  if (cause instanceof ExchangeError) return new ExchangeError(cause.failure, `${method}: ${cause.message}`, { cause });
  if (!(cause instanceof EgressError)) return cause;
  return new ExchangeError({ kind: cause.sent ? 'unclear' : 'unsent' }, `${method}: ${cause.message}`, { cause });
}
