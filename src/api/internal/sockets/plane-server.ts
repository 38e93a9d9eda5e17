import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { bindToPlace, bindToRun } from '../auth/plane-peer.js';

export interface PlaneServerOptions {
  runId: string;
  headerBytes: number;
  headerTimeoutMs: number;
  /** Takes a connection of the run, or null when it has too many. */
  enter: () => (() => void) | null;
  /** A limit was hit; called as often as it happens. */
  breached: (limit: 'connections' | 'headers') => void;
  handle: RequestListener;
  /** Whether a request may change its protocol; all others are ordinary ones. */
  mayUpgrade: (request: IncomingMessage) => boolean;
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void;
}

/** Longer than any client keeps an idle connection, so that the server does not close one that is being used again. */
const KEEP_ALIVE_MS = 72_000;
/** A body that takes longer than this to arrive is given up; the answer has no such limit. */
const BODY_TIMEOUT_MS = 120_000;
/** Connections beyond the limit that are still accepted, in order to tell them. */
const REFUSED_CONNECTION_MS = 5000;

/**
 * The HTTP server of one run's plane socket: `/internal` only, its connections bound to the run (docs/design/sandbox.md,
 * docs/design/runner.md).
 */
export function createPlaneServer(options: PlaneServerOptions): Server {
  const refused = new WeakSet<Socket>();
  const server = createServer({
    maxHeaderSize: options.headerBytes,
    headersTimeout: options.headerTimeoutMs,
    requestTimeout: Math.max(BODY_TIMEOUT_MS, options.headerTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(1000, options.headerTimeoutMs),
    noDelay: true,
  });
  server.on('connection', (socket) => {
    const leave = options.enter();
    if (leave === null) {
      options.breached('connections');
      refused.add(socket);
      setTimeout(() => socket.destroy(), REFUSED_CONNECTION_MS).unref();
      return;
    }
    bindToRun(socket, options.runId);
    bindToPlace(socket, leave);
    socket.once('close', leave);
  });
  server.on('request', (request, response) => {
    if (refused.has(request.socket)) return answer(response, 503, 'too many connections of this run');
    if (!isInternal(request)) return answer(response, 404, 'not found');
    options.handle(request, response);
  });
  // One connection too many is told so as an ordinary request.
  Object.assign(server, {
    shouldUpgradeCallback: (request: IncomingMessage) => !refused.has(request.socket) && options.mayUpgrade(request),
  });
  server.on('upgrade', options.upgrade);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400;
    if (status !== 400) options.breached('headers');
    refuseRaw(socket as Socket, status);
  });
  return server;
}

function isInternal(request: IncomingMessage): boolean {
  return request.url?.startsWith('/internal/') === true;
}

function answer(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ error: message }));
}

const RAW_ANSWERS: Record<number, [string, string]> = {
  400: ['Bad Request', 'malformed request'],
  408: ['Request Timeout', 'the request headers took too long'],
  431: ['Request Header Fields Too Large', 'the request headers are too large'],
};

/** Answers on a connection whose request never became one. */
function refuseRaw(socket: Socket, status: number): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [reason, message] = RAW_ANSWERS[status] ?? ['Bad Request', 'malformed request'];
  const body = JSON.stringify({ error: message });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
