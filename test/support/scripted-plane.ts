import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isJsonObject } from '../../src/domain/json.js';
import type { JsonObject, JsonValue } from '../../src/domain/json.js';

export interface PlaneCall {
  toolCallId: string;
  tool: string;
  input: JsonValue;
}

export interface PlaneEvent {
  actor: string;
  type: string;
  data: JsonObject;
  key: string;
}

export type Verdict =
  { decision: 'allow'; updated_input?: JsonObject } | { decision: 'deny'; message: string } | 'pending';

/** What a test may make of one request instead of its proper answer: a status, or a connection that breaks off. */
export type Fault = { status: number; body?: JsonObject } | 'cut' | null;

export interface ScriptedPlaneOptions {
  /** Default: allow. */
  decide?: (call: PlaneCall) => Verdict;
  callTool?: (call: PlaneCall) => JsonObject;
  /** `attempt` counts the requests of that route from 1. */
  fault?: (route: string, attempt: number) => Fault;
  heartbeatAction?: (beat: number) => 'quiesce' | null;
  /** Base address of a model provider that `/internal/llm` is forwarded to. */
  modelUrl?: string;
}

const SESSION_ID = '018f3c1e-0000-7000-8000-00000000abcd';
const TOKENS = { control: 'svc_sess_control', tool: 'svc_sess_tool', llm: 'svc_sess_llm' };
const AUDIENCE: Record<string, keyof typeof TOKENS> = {
  permission: 'tool',
  'tools/call': 'tool',
  events: 'control',
  heartbeat: 'control',
  result: 'control',
  'token/renew': 'control',
  llm: 'llm',
};

/** The runner plane as a runner sees it, on a unix socket, with the record of everything that it was asked. */
export class ScriptedPlane {
  readonly tokens = { ...TOKENS };
  readonly sessionId = SESSION_ID;
  readonly permissions: PlaneCall[] = [];
  readonly brokered: PlaneCall[] = [];
  readonly events: PlaneEvent[] = [];
  readonly results: JsonObject[] = [];
  readonly attempts = new Map<string, number>();
  readonly #rows = new Map<string, Verdict>();
  readonly #waiting = new Set<() => void>();

  private constructor(
    readonly directory: string,
    private readonly server: http.Server,
    private readonly options: ScriptedPlaneOptions,
  ) {}

  static async start(options: ScriptedPlaneOptions = {}): Promise<ScriptedPlane> {
    const directory = await mkdtemp(join(tmpdir(), 'plane-'));
    const server = http.createServer();
    const plane = new ScriptedPlane(directory, server, options);
    server.on('request', (request, response) => {
      plane.#answer(request, response).catch(() => response.destroy());
    });
    server.listen(plane.socketPath);
    await once(server, 'listening');
    return plane;
  }

  get socketPath(): string {
    return join(this.directory, 'plane.sock');
  }

  /** The approvals that stand, one per id however often it was presented. */
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
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    await rm(this.directory, { recursive: true, force: true });
  }

  async #answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const body = await readBody(request);
    const route = routeOf(request.url ?? '');
    const attempt = (this.attempts.get(route) ?? 0) + 1;
    this.attempts.set(route, attempt);
    const fault = this.options.fault?.(route, attempt) ?? null;
    if (fault === 'cut') return void response.socket?.destroy();
    if (fault !== null) return send(response, fault.status, fault.body ?? { error: 'injected' });
    const token = String(
      request.headers['x-api-key'] ?? String(request.headers.authorization ?? '').replace('Bearer ', ''),
    );
    const audience = AUDIENCE[route];
    if (audience === undefined) return send(response, 404, { error: 'not found' });
    if (token !== this.tokens[audience]) return send(response, 403, { error: 'wrong_audience' });
    if (route === 'llm') return this.#forward(request, body, response);
    return this.#serve(route, attempt, request, JSON.parse(body || '{}'), response);
  }

  async #serve(
    route: string,
    attempt: number,
    request: http.IncomingMessage,
    body: unknown,
    response: http.ServerResponse,
  ): Promise<void> {
    const document = isJsonObject(body) ? body : {};
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
        return send(response, 200, { renewed: true, ttl_secs: 10_800 });
    }
  }

  async #permission(call: PlaneCall, response: http.ServerResponse): Promise<void> {
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

function callOf(document: JsonObject): PlaneCall {
  return {
    toolCallId: textOf(document['tool_call_id']),
    tool: textOf(document['tool']),
    input: document['input'] ?? null,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function send(response: http.ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
