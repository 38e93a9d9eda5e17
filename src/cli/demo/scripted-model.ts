import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../../domain/json.js';
import type { JsonObject } from '../../domain/json.js';
import { conversationProblem } from './conversation-check.js';
import { composeMessage, streamEvents, tokensOf, wholeBody } from './message-wire.js';
import type { ModelScript, RecordedRequest, ScriptedError, ScriptedReply } from './model-script.js';

export interface ScriptedModelOptions {
  script: ModelScript;
  /** When set, a request with another key is answered 401, as the provider would. */
  apiKey?: string;
  /** Called with every message request before it is answered; what it throws is answered as 500 and kept in `violations`. */
  onRequest?: (request: RecordedRequest) => void;
}

export interface ScriptedModel {
  /** Base address without a path, for `SERVICE_LLM_ANTHROPIC_URL`. */
  url: string;
  /** Message requests in order of arrival. */
  requests: RecordedRequest[];
  countRequests: RecordedRequest[];
  /** What `onRequest` found wrong. */
  violations: string[];
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

/** A model provider played by a script over the real wire format of Anthropic Messages, on a free port of 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const provider = new ScriptedProvider(options);
  const server = http.createServer((request, response) => {
    provider
      .answer(request, response)
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the scripted model has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: provider.requests,
    countRequests: provider.countRequests,
    violations: provider.violations,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

class ScriptedProvider {
  readonly requests: RecordedRequest[] = [];
  readonly countRequests: RecordedRequest[] = [];
  readonly violations: string[] = [];

  constructor(private readonly options: ScriptedModelOptions) {}

  async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const text = await readBody(request);
    const path = new URL(request.url ?? '/', 'http://model').pathname;
    if (request.method !== 'POST' || !['/v1/messages', '/v1/messages/count_tokens'].includes(path)) {
      return sendError(response, { kind: 'error', status: 404, message: `no such endpoint: ${path}` });
    }
    if (this.options.apiKey !== undefined && presentedKey(request) !== this.options.apiKey) {
      return sendError(response, { kind: 'error', status: 401, message: 'invalid api key' });
    }
    const body = parseBody(text);
    const problem = body === null ? 'the body is not a JSON object' : conversationProblem(body);
    if (body === null || problem !== null)
      return sendError(response, { kind: 'error', status: 400, message: problem ?? '' });
    const counting = path.endsWith('/count_tokens');
    const list = counting ? this.countRequests : this.requests;
    const recorded: RecordedRequest = { index: list.length, path, headers: flatHeaders(request), body };
    list.push(recorded);
    if (counting) return sendJson(response, 200, { input_tokens: tokensOf(Buffer.byteLength(text)) });
    return this.#play(recorded, Buffer.byteLength(text), response);
  }

  async #play(request: RecordedRequest, requestBytes: number, response: http.ServerResponse): Promise<void> {
    try {
      this.options.onRequest?.(request);
    } catch (error) {
      this.violations.push(error instanceof Error ? error.message : String(error));
      return sendError(response, { kind: 'error', status: 500, message: 'the request is not what the script expects' });
    }
    const answer = this.options.script(request);
    if (answer.kind === 'error') return sendError(response, answer);
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    const message = composeMessage(answer, modelOf(request.body), requestBytes);
    if (request.body['stream'] === true) return stream(response, answer, streamEvents(message));
    return sendJson(response, 200, wholeBody(message));
  }
}

async function stream(
  response: http.ServerResponse,
  reply: ScriptedReply,
  events: ReturnType<typeof streamEvents>,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': 'req_scripted',
  });
  let sent = 0;
  for (const event of events) {
    if (sent === reply.cutAfterEvents) {
      // What was sent so far must arrive: a connection that breaks off before the first byte is another case.
      response.socket?.destroySoon();
      return;
    }
    if (sent > 0 && reply.eventDelayMs !== undefined) await sleep(reply.eventDelayMs);
    if (response.destroyed) return;
    const drained = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`);
    if (!drained) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    sent += 1;
  }
  response.end();
}

function sendError(response: http.ServerResponse, error: ScriptedError): void {
  const type = error.type ?? ERROR_TYPES[error.status] ?? 'api_error';
  const body = { type: 'error', error: { type, message: error.message ?? type }, request_id: 'req_scripted' };
  sendJson(response, error.status, body, error.headers);
}

function sendJson(
  response: http.ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers });
  response.end(JSON.stringify(body));
}

/** Clients of different versions send the key in the one header or the other. */
function presentedKey(request: http.IncomingMessage): string {
  return String(request.headers['x-api-key'] ?? request.headers.authorization?.replace('Bearer ', ''));
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const bytes of request as AsyncIterable<Buffer>) {
    total += bytes.length;
    if (total > MAX_BODY_BYTES) throw new Error('the request is too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function modelOf(body: JsonObject): string {
  return typeof body['model'] === 'string' ? body['model'] : '';
}

function parseBody(text: string): JsonObject | null {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : null;
  } catch {
    return null;
  }
}

function flatHeaders(request: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}
