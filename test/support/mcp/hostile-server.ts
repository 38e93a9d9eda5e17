import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { behave, OK, type Behaviour } from './behaviour.js';

/** A tool as the server lists it. */
export interface OfferedTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: unknown;
  [extension: string]: unknown;
}

/** One message that arrived; `DELETE` of a session has that as its method, a request that ended early `incomplete`. */
export interface Arrival {
  method: string;
  headers: IncomingHttpHeaders;
  /** The body byte for byte. */
  text: string;
  message: { id?: unknown; method?: string; params?: Record<string, unknown>; error?: unknown } | null;
  /** What was done with it. */
  behaviour: Behaviour;
  at: number;
}

export interface HostileOptions {
  tools?: OfferedTool[];
  protocolVersion?: string;
  /** Whether it issues session ids; it does unless told otherwise. */
  sessions?: boolean;
  /** The `Authorization` header without which it answers 401. */
  authorization?: string;
  /** Tools on one page of the listing; all of them unless given. */
  pageSize?: number;
  port?: number;
}

type Script = (arrival: Pick<Arrival, 'method' | 'message' | 'headers'>, index: number) => Behaviour | undefined;

export const ECHO: OfferedTool = {
  name: 'echo',
  description: 'Answers with its arguments.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
};

/**
 * An MCP server over streamable HTTP that does what a test tells it, and writes down every message whose bytes arrived, whatever
 * became of it. Unscripted it is a good server: its tools answer with the text of their arguments.
 */
export class HostileServer {
  readonly arrivals: Arrival[] = [];
  tools: OfferedTool[];
  protocolVersion: string;
  authorization: string | undefined;
  /** Connections that were accepted, and how many of the next ones are reset before a byte of them is read. */
  connections = 0;
  private resetNext = 0;
  private bound = 0;
  private readonly queued = new Map<string, Behaviour[]>();
  private readonly lasting = new Map<string, Behaviour | Script>();
  private readonly counts = new Map<string, number>();
  private readonly sessions = new Set<string>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private server: Server,
    private readonly options: HostileOptions,
  ) {
    this.tools = options.tools ?? [ECHO];
    this.protocolVersion = options.protocolVersion ?? '2025-11-25';
    this.authorization = options.authorization;
  }

  static async start(options: HostileOptions = {}): Promise<HostileServer> {
    const hostile = new HostileServer(createServer(), options);
    await hostile.listen(options.port ?? 0);
    return hostile;
  }

  /** The same after it was stopped. */
  get port(): number {
    return this.bound;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Every `tools/call` that arrived, also those whose answer was cut or refused. */
  get calls(): Arrival[] {
    return this.arrivals.filter(({ method }) => method === 'tools/call');
  }

  /** How often each method arrived, in the order of first arrival. */
  get methods(): string[] {
    return this.arrivals.map(({ method }) => method);
  }

  /** Treats the next requests of a method in this way, one each. */
  next(method: string, ...behaviours: Behaviour[]): this {
    this.queued.set(method, [...(this.queued.get(method) ?? []), ...behaviours]);
    return this;
  }

  /** Treats every request of a method in this way from now on; null for good behaviour. */
  always(method: string, behaviour: Behaviour | Script | null): this {
    if (behaviour === null) this.lasting.delete(method);
    else this.lasting.set(method, behaviour);
    return this;
  }

  /** Resets the next connections as soon as they are accepted. */
  resetConnections(count: number): this {
    this.resetNext = count;
    return this;
  }

  /** Forgets all sessions, as a restart does. */
  forgetSessions(): void {
    this.sessions.clear();
  }

  get openSessions(): number {
    return this.sessions.size;
  }

  /** Stops listening; connections to it are refused until it listens again. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Listens again after `stop`, where it did before. */
  async listen(port = this.bound): Promise<void> {
    this.server = createServer((request, response) => {
      this.receive(request, response).catch((error: unknown) => {
        // A client that is gone before its request was read has nothing to be answered.
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
    this.server.on('connection', (socket) => {
      this.connections += 1;
      if (this.resetNext > 0) {
        this.resetNext -= 1;
        socket.resetAndDestroy();
        return;
      }
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    this.server.listen(port, '127.0.0.1');
    await once(this.server, 'listening');
    this.bound = (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.stop();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch (error) {
      const text = Buffer.concat(chunks).toString();
      this.arrivals.push({
        method: 'incomplete',
        headers: request.headers,
        text,
        message: null,
        behaviour: { kind: 'hang' },
        at: Date.now(),
      });
      throw error;
    }
    const text = Buffer.concat(chunks).toString();
    const message = text === '' ? null : (JSON.parse(text) as Arrival['message']);
    const method = request.method === 'POST' ? (message?.method ?? 'response') : request.method!;
    const index = this.counts.get(method) ?? 0;
    this.counts.set(method, index + 1);
    const behaviour = this.choose(method, message, request.headers, index);
    this.arrivals.push({ method, headers: request.headers, text, message, behaviour, at: Date.now() });
    if (behaviour.kind === 'session-lost') this.sessions.delete(String(request.headers['mcp-session-id']));
    const prepared = { id: message?.id, message: this.answer(method, message), headers: this.issued(method) };
    await behave(behaviour, prepared, request, response);
  }

  private choose(method: string, message: Arrival['message'], headers: IncomingHttpHeaders, index: number): Behaviour {
    const queued = this.queued.get(method)?.shift();
    if (queued !== undefined) return queued;
    const lasting = this.lasting.get(method);
    const scripted = typeof lasting === 'function' ? lasting({ method, message, headers }, index) : lasting;
    return scripted ?? this.manners(method, message, headers);
  }

  private manners(method: string, message: Arrival['message'], headers: IncomingHttpHeaders): Behaviour {
    if (this.authorization !== undefined && headers.authorization !== this.authorization) {
      return { kind: 'status', status: 401, headers: { 'www-authenticate': 'Bearer' } };
    }
    const session = headers['mcp-session-id'];
    if (this.issues && method !== 'initialize' && !this.sessions.has(String(session))) {
      return { kind: 'status', status: session === undefined ? 400 : 404 };
    }
    if (method === 'DELETE') {
      this.sessions.delete(String(session));
      return { kind: 'status', status: 204 };
    }
    if (method === 'GET') return { kind: 'status', status: 405 };
    return message?.id === undefined || method === 'response' ? { kind: 'status', status: 202 } : OK;
  }

  private get issues(): boolean {
    return this.options.sessions !== false;
  }

  private issued(method: string): Record<string, string> {
    if (!this.issues || method !== 'initialize') return {};
    const session = randomUUID();
    this.sessions.add(session);
    return { 'mcp-session-id': session };
  }

  private answer(method: string, message: Arrival['message']): Record<string, unknown> {
    const head = { jsonrpc: '2.0', id: message?.id };
    switch (method) {
      case 'initialize':
        return {
          ...head,
          result: {
            protocolVersion: this.protocolVersion,
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: 'hostile', version: '1.0.0' },
          },
        };
      case 'tools/list':
        return { ...head, result: this.page(message?.params?.['cursor']) };
      case 'tools/call': {
        const text = JSON.stringify(message?.params?.['arguments'] ?? null);
        return { ...head, result: { content: [{ type: 'text', text }] } };
      }
      default:
        return { ...head, error: { code: -32601, message: 'method not found' } };
    }
  }

  private page(cursor: unknown): Record<string, unknown> {
    const size = this.options.pageSize ?? this.tools.length;
    const from = Number(cursor ?? 0);
    const tools = this.tools.slice(from, from + size);
    return { tools, ...(from + size < this.tools.length ? { nextCursor: String(from + size) } : {}) };
  }
}
