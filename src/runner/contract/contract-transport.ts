import type http from 'node:http';
import { Readable } from 'node:stream';
import { mendModelBody } from './model-body.js';
import { nodeHttp } from './node-http.js';

export interface ContractAddress {
  /** For example `http://plane`; over a unix socket the host name is only a header. */
  baseUrl: string;
  /** Unix socket of the runner plane, or null for plain TCP. */
  socketPath: string | null;
}

export interface ContractRequest {
  path: string;
  token: string;
  /** JSON text. */
  body: string;
  timeoutMs: number;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

export interface ContractAnswer {
  status: number;
  text: string;
}

/**
 * Connections are kept apart by purpose: a run may park 32 permissions (docs/design/runner.md), and neither those nor a long
 * model stream may ever hold up a heartbeat.
 */
export type Lane = 'work' | 'vital' | 'model';

const LANE_SOCKETS: Record<Lane, number> = { work: 48, vital: 2, model: 8 };
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const MODEL_HEADERS_TIMEOUT_MS = 930_000;
/** Half of the time for which the server keeps an idle connection, so that none is reused while the server closes it. */
const IDLE_MS = 36_000;

/** HTTP to the runner plane. Node's own client, because the runner's start-up time is part of every run's. */
export class ContractTransport {
  readonly #base: URL;
  readonly #socketPath: string | null;
  readonly #agents: Record<Lane, http.Agent>;

  constructor(address: ContractAddress) {
    this.#base = new URL(address.baseUrl);
    this.#socketPath = address.socketPath;
    this.#agents = { work: laneAgent('work'), vital: laneAgent('vital'), model: laneAgent('model') };
  }

  /** One attempt. Rejects on a transport failure, a time-out, or an answer over 8 MiB; any status is an answer. */
  async post(lane: Lane, request: ContractRequest): Promise<ContractAnswer> {
    const body = Buffer.from(request.body);
    const headers: http.OutgoingHttpHeaders = {
      authorization: `Bearer ${request.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
      ...(request.idempotencyKey === undefined ? {} : { 'idempotency-key': request.idempotencyKey }),
    };
    const timeout = AbortSignal.timeout(request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const response = await this.#send(lane, { method: 'POST', path: this.#path(request.path), headers, signal }, body);
    return { status: response.statusCode ?? 0, text: await readText(response) };
  }

  /**
   * `fetch` over the same connections, for the model client. `inspect` sees every 401 and 403 with its body before the caller does.
   * The body streams; there is no time limit but the one for the headers and the caller's signal.
   */
  modelFetch(inspect: (status: number, text: string) => void): typeof fetch {
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const body = bodyOf(init?.body);
      const headers: http.OutgoingHttpHeaders = Object.fromEntries(new Headers(init?.headers));
      headers['content-length'] = body.length;
      const method = init?.method ?? 'POST';
      const signal = init?.signal ?? new AbortController().signal;
      const response = await this.#send('model', { method, path: url.pathname + url.search, headers, signal }, body);
      return toFetchResponse(response, inspect);
    };
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #path(path: string): string {
    return this.#base.pathname.replace(/\/+$/, '') + path;
  }

  #send(
    lane: Lane,
    options: http.RequestOptions & { signal: AbortSignal },
    body: Buffer,
  ): Promise<http.IncomingMessage> {
    const target =
      this.#socketPath === null
        ? { host: this.#base.hostname, port: this.#base.port || 80 }
        : { socketPath: this.#socketPath };
    return new Promise((resolve, reject) => {
      const request = nodeHttp.request({ ...options, ...target, setHost: false, agent: this.#agents[lane] }, resolve);
      request.setHeader('host', this.#base.host);
      request.on('error', reject);
      if (lane === 'model') {
        request.setTimeout(MODEL_HEADERS_TIMEOUT_MS, () =>
          request.destroy(new Error('the model gateway did not answer in time')),
        );
      }
      request.end(body);
    });
  }
}

function laneAgent(lane: Lane): http.Agent {
  return new nodeHttp.Agent({
    keepAlive: true,
    maxSockets: LANE_SOCKETS[lane],
    keepAliveMsecs: 30_000,
    timeout: IDLE_MS,
  });
}

async function readText(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const bytes of response as AsyncIterable<Buffer>) {
    total += bytes.length;
    if (total > MAX_ANSWER_BYTES) {
      response.destroy();
      throw new Error('the answer of the runner plane is larger than 8 MiB');
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function bodyOf(body: RequestInit['body']): Buffer {
  if (body === null || body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(mendModelBody(body));
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new TypeError('the model client may send only text or bytes');
}

async function toFetchResponse(
  response: http.IncomingMessage,
  inspect: (status: number, text: string) => void,
): Promise<Response> {
  const status = response.statusCode ?? 502;
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  if (status !== 401 && status !== 403) {
    return new Response(Readable.toWeb(response) as ReadableStream, { status, headers });
  }
  const text = await readText(response);
  inspect(status, text);
  return new Response(text, { status, headers });
}
