import { once } from 'node:events';
import http from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parseJsonObject } from '../../domain/json.js';
import type { JsonObject } from '../../domain/json.js';
import type { ModelScript, RecordedRequest, ScriptedError, ScriptedReply } from './wire/model-script.js';
import { chatError, chatProblem, CHAT_IDS, completionEvents, wholeCompletion } from './wire/chat.js';
import { composeReply, tokensOf, type ComposedReply } from './wire/composed-reply.js';
import { messageEvents, messagesError, messagesProblem, MESSAGES_IDS, wholeMessage } from './wire/messages.js';
import { responseEvents, responsesError, responsesProblem, RESPONSES_IDS, wholeResponse } from './wire/responses.js';
import type { WireEvent, WireName } from './wire/wire-format.js';

export interface ScriptedModelOptions {
  script: ModelScript;
  /** When set, a request with another key is answered 401, as the provider would. */
  apiKey?: string;
  /** Called with every message request before it is answered; what it throws is answered as 500 and kept in `violations`. */
  onRequest?: (request: RecordedRequest) => void;
  /** Where it listens; any free port of loopback by default. */
  bind?: ModelBind;
}

export interface ModelBind {
  host: string;
  port: number;
}

export interface ScriptedModel {
  /** Base address without a path, for `SERVICE_LLM_ANTHROPIC_URL` and `SERVICE_LLM_OPENAI_URL`. */
  url: string;
  /** Message requests in order of arrival. */
  requests: RecordedRequest[];
  countRequests: RecordedRequest[];
  /** What `onRequest` found wrong. */
  violations: string[];
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** How to speak one format. */
interface WireFormat {
  idPrefix: string;
  /** What the real provider would refuse about the request, or null. */
  problem(body: JsonObject): string | null;
  whole(reply: ComposedReply): JsonObject;
  events(reply: ComposedReply, request: JsonObject): Generator<WireEvent>;
  error(error: ScriptedError): JsonObject;
}

const FORMATS: Record<WireName, WireFormat> = {
  messages: {
    idPrefix: MESSAGES_IDS,
    problem: messagesProblem,
    whole: wholeMessage,
    events: messageEvents,
    error: messagesError,
  },
  chat: {
    idPrefix: CHAT_IDS,
    problem: chatProblem,
    whole: wholeCompletion,
    events: completionEvents,
    error: chatError,
  },
  responses: {
    idPrefix: RESPONSES_IDS,
    problem: responsesProblem,
    whole: wholeResponse,
    events: responseEvents,
    error: responsesError,
  },
};

const COUNTING = '/v1/messages/count_tokens';
const PATHS: Readonly<Record<string, WireName>> = {
  '/v1/messages': 'messages',
  [COUNTING]: 'messages',
  '/v1/chat/completions': 'chat',
  '/v1/responses': 'responses',
};

/** Model providers played by a script over their real wire formats (Messages, Chat Completions, Responses), on a free port of 127.0.0.1. */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const provider = new ScriptedProvider(options);
  const server = http.createServer((request, response) => {
    provider
      .answer(request, response)
      .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  server.listen(options.bind ?? { host: '127.0.0.1', port: 0 });
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
    const wire = request.method === 'POST' ? PATHS[path] : undefined;
    const format = FORMATS[wire ?? 'messages'];
    const refuse = (status: number, message: string) => sendError(response, format, { kind: 'error', status, message });
    if (wire === undefined) return refuse(404, `no such endpoint: ${path}`);
    if (this.options.apiKey !== undefined && presentedKey(request) !== this.options.apiKey)
      return refuse(401, 'invalid api key');
    const body = parseJsonObject(text);
    if (body === null) return refuse(400, 'the body is not a JSON object');
    const problem = modelOf(body) === '' ? 'model: field required' : format.problem(body);
    if (problem !== null) return refuse(400, problem);
    const list = path === COUNTING ? this.countRequests : this.requests;
    const recorded: RecordedRequest = { index: list.length, wire, path, headers: flatHeaders(request), body };
    list.push(recorded);
    if (path === COUNTING) return sendJson(response, 200, { input_tokens: tokensOf(Buffer.byteLength(text)) });
    return this.#play(recorded, format, Buffer.byteLength(text), response);
  }

  async #play(
    request: RecordedRequest,
    format: WireFormat,
    requestBytes: number,
    response: http.ServerResponse,
  ): Promise<void> {
    try {
      this.options.onRequest?.(request);
    } catch (error) {
      this.violations.push(error instanceof Error ? error.message : String(error));
      const message = 'the request is not what the script expects';
      return sendError(response, format, { kind: 'error', status: 500, message });
    }
    const answer = await this.options.script(request);
    if (answer.kind === 'error') return sendError(response, format, answer);
    if (answer.delayMs !== undefined) await sleep(answer.delayMs);
    const { idPrefix } = format;
    const reply = composeReply(answer, { model: modelOf(request.body), requestBytes, idPrefix });
    if (request.body['stream'] === true) return stream(response, answer, format.events(reply, request.body));
    return sendJson(response, 200, format.whole(reply));
  }
}

async function stream(
  response: http.ServerResponse,
  reply: ScriptedReply,
  events: Generator<WireEvent>,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': 'req_scripted',
  });
  let sent = 0;
  for (const event of events) {
    if (sent === reply.cutAfterEvents) {
      // What was sent so far must arrive, and goes out when this turn of the loop ends; breaking off before the first byte is another case.
      await nextTurn();
      response.socket?.destroySoon();
      return;
    }
    if (sent > 0 && reply.eventDelayMs !== undefined) await sleep(reply.eventDelayMs);
    if (response.destroyed) return;
    const drained = response.write(frameOf(event));
    if (!drained) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    sent += 1;
  }
  response.end();
}

function frameOf({ name, data }: WireEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`;
}

function sendError(response: http.ServerResponse, format: WireFormat, error: ScriptedError): void {
  sendJson(response, error.status, format.error(error), error.headers);
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

function flatHeaders(request: http.IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
}
