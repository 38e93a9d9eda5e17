import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, parseJsonObject } from '../../../domain/json.js';
import type { JsonObject, JsonValue } from '../../../domain/json.js';
import type { Fault, ContractCall, ContractEvent, ContractRequest, TokenName, Verdict } from './contract-traffic.js';

export interface ScriptedPlaneOptions {
  /** Default: allow. */
  decide?: (call: ContractCall) => Verdict;
  callTool?: (call: ContractCall) => JsonObject;
  /** `attempt` counts the requests of that route from 1. */
  fault?: (route: string, attempt: number) => Fault;
  heartbeatAction?: (beat: number) => 'quiesce' | null;
  /** Milliseconds that a route takes to answer. */
  delayMs?: (route: string) => number;
  /** What a renewal answers; default: true. */
  renewed?: boolean;
  /** Listens on a port of 127.0.0.1 as well, for runners that cannot reach a socket of this machine. */
  tcp?: boolean;
  /** Where the socket's own directory is made; default: the system's temporary folder. */
  folder?: string;
  /** Base address of a model provider that `/internal/llm` is forwarded to. */
  modelUrl?: string;
}

/** As the real server: a shorter time would close connections that a slow runner is about to use. */
const KEEP_ALIVE_MS = 72_000;
const SESSION_ID = '018f3c1e-0000-7000-8000-00000000abcd';
const AUDIENCE: Record<string, TokenName> = {
  permission: 'tool',
  'tools/call': 'tool',
  events: 'control',
  heartbeat: 'control',
  result: 'control',
  'token/renew': 'control',
  llm: 'llm',
};

const token = (): string => `svc_sess_${randomBytes(32).toString('hex')}`;

/** The runner plane as a runner sees it, on a unix socket, with the record of everything that it was asked. */
export class ScriptedPlane {
  readonly tokens: Record<TokenName, string> = { control: token(), tool: token(), llm: token() };
  /** Everything that arrived, in order. */
  readonly requests: ContractRequest[] = [];
  readonly runId = SESSION_ID;
  readonly permissions: ContractCall[] = [];
  readonly brokered: ContractCall[] = [];
  readonly events: ContractEvent[] = [];
  readonly results: JsonObject[] = [];
  readonly attempts = new Map<string, number>();
  readonly #rows = new Map<string, Verdict>();
  readonly #waiting = new Set<() => void>();
  #tcp: http.Server | null = null;

  private constructor(
    readonly directory: string,
    private readonly server: http.Server,
    private readonly options: ScriptedPlaneOptions,
  ) {}

  static async start(options: ScriptedPlaneOptions = {}): Promise<ScriptedPlane> {
    const directory = await mkdtemp(join(options.folder ?? tmpdir(), 'plane-'));
    const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
    const plane = new ScriptedPlane(directory, server, options);
    server.on('request', (request, response) => {
      plane.#answer(request, response).catch(() => response.destroy());
    });
    server.listen(plane.socketPath);
    await once(server, 'listening');
    // A runner in a sandbox of its own has another uid.
    await Promise.all([chmod(directory, 0o755), chmod(plane.socketPath, 0o666)]);
    if (options.tcp === true) await plane.#listenTcp();
    return plane;
  }

  /** Address over TCP; null unless it was asked for. */
  get url(): string | null {
    const address = this.#tcp?.address() ?? null;
    return address === null || typeof address === 'string' ? null : `http://127.0.0.1:${address.port}`;
  }

  get socketPath(): string {
    return join(this.directory, 'plane.sock');
  }

  /** The current approvals, one per id however often it was presented. */
  get approvalIds(): string[] {
    return [...this.#rows.keys()];
  }

  messages(): string[] {
    return this.events.filter((event) => event.type === 'agent.message').map((event) => textOf(event.data['text']));
  }

  /** Settles a pending approval and releases whoever waits for it. */
  settle(toolCallId: string, verdict: Exclude<Verdict, 'pending'>): void {
    this.#rows.set(toolCallId, verdict);
    for (const wake of this.#waiting) wake();
  }

  /** Breaks every open connection, as a restarting control plane does. */
  dropConnections(): void {
    this.server.closeAllConnections();
    this.#tcp?.closeAllConnections();
  }

  /** The requests of one route, in order. */
  of(route: string): ContractRequest[] {
    return this.requests.filter((request) => request.route === route);
  }

  async stop(): Promise<void> {
    this.dropConnections();
    for (const server of [this.server, this.#tcp]) {
      if (server !== null) await new Promise<void>((resolve) => server.close(() => resolve()));
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #listenTcp(): Promise<void> {
    this.#tcp = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) =>
      this.server.emit('request', request, response),
    );
    this.#tcp.listen(0, '127.0.0.1');
    await once(this.#tcp, 'listening');
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const at = performance.now();
    const body = await readBody(request);
    const route = routeOf(request.url ?? '');
    const audience = AUDIENCE[route] ?? null;
    const held = String(
      request.headers['x-api-key'] ?? String(request.headers.authorization ?? '').replace('Bearer ', ''),
    );
    const token = (Object.keys(this.tokens) as TokenName[]).find((name) => this.tokens[name] === held) ?? null;
    const key = request.headers['idempotency-key'];
    const recorded: ContractRequest = {
      ...{ route, token, audience, at, body: parseJsonObject(body) ?? {} },
      ...{ answeredAt: null, endedAt: null, status: null },
      key: typeof key === 'string' ? key : null,
    };
    this.requests.push(recorded);
    response.once('close', () => {
      recorded.endedAt = performance.now();
      recorded.status = response.writableFinished ? response.statusCode : null;
    });
    const attempt = (this.attempts.get(route) ?? 0) + 1;
    this.attempts.set(route, attempt);
    const waitMs = this.options.delayMs?.(route) ?? 0;
    if (waitMs > 0) await sleep(waitMs);
    const fault = this.options.fault?.(route, attempt) ?? null;
    recorded.answeredAt = performance.now();
    if (fault === 'cut') return void response.socket?.destroy();
    if (fault !== null) return send(response, fault.status, fault.body ?? { error: 'injected' }, fault.headers);
    if (audience === null) return send(response, 404, { error: 'not found' });
    if (token !== audience) return send(response, 403, { error: 'wrong_audience' });
    if (route === 'llm') return this.#forward(request, body, response);
    return this.#serve(route, attempt, request, recorded.body, response);
  }

  async #serve(
    route: string,
    attempt: number,
    request: http.IncomingMessage,
    document: JsonObject,
    response: http.ServerResponse,
  ): Promise<void> {
    switch (route) {
      case 'permission':
        return this.#permission(callOf(document), response);
      case 'tools/call': {
        const call = callOf(document);
        this.brokered.push(call);
        return send(response, 200, this.options.callTool?.(call) ?? { ok: false, denied: true, message: 'no broker' });
      }
      case 'events': {
        const event = isJsonObject(document['body']) ? document['body'] : {};
        const data = isJsonObject(event['data']) ? event['data'] : {};
        const key = String(request.headers['idempotency-key']);
        this.events.push({ actor: textOf(document['actor']), type: textOf(event['type']), data, key });
        return send(response, 200, { seq: this.events.length });
      }
      case 'heartbeat':
        return send(response, 200, { ok: true, action: this.options.heartbeatAction?.(attempt) ?? null });
      case 'result':
        this.results.push(document);
        return send(response, 200, { ok: true });
      default:
        return send(response, 200, { renewed: this.options.renewed ?? true, ttl_secs: 10_800 });
    }
  }

  async #permission(call: ContractCall, response: http.ServerResponse): Promise<void> {
    this.permissions.push(call);
    const row = this.#rows.get(call.toolCallId) ?? this.options.decide?.(call) ?? { decision: 'allow' };
    this.#rows.set(call.toolCallId, row);
    const verdict = row === 'pending' ? await this.#decision(call.toolCallId, response) : row;
    if (verdict !== null) send(response, 200, { ...verdict });
  }

  async #decision(toolCallId: string, response: http.ServerResponse): Promise<Exclude<Verdict, 'pending'> | null> {
    for (;;) {
      const row = this.#rows.get(toolCallId);
      if (row !== undefined && row !== 'pending') return row;
      if (response.destroyed) return null;
      const woken = Promise.withResolvers<void>();
      this.#waiting.add(woken.resolve);
      response.once('close', woken.resolve);
      await woken.promise;
      this.#waiting.delete(woken.resolve);
    }
  }

  #forward(request: http.IncomingMessage, body: string, response: http.ServerResponse): void {
    const path = String(request.url).split('?')[0]?.replace('/internal/llm', '') ?? '';
    const headers = {
      'content-type': 'application/json',
      'x-api-key': 'upstream-key',
      'anthropic-version': '2023-06-01',
    };
    const upstream = http.request(`${this.options.modelUrl}${path}`, { method: 'POST', headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.socket?.destroySoon());
    });
    upstream.on('error', () => response.destroy());
    upstream.end(body);
  }
}

function routeOf(url: string): string {
  const path = url.split('?')[0] ?? '';
  if (path.startsWith('/internal/llm')) return 'llm';
  return path.replace(/^\/internal\/(sessions\/[^/]+\/)?/, '');
}

function callOf(document: JsonObject): ContractCall {
  return {
    toolCallId: textOf(document['tool_call_id']),
    tool: textOf(document['tool']),
    input: document['input'] ?? null,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function send(
  response: http.ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
