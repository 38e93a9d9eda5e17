import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { StreamClient } from '../../../platform/egress/stream-client.js';
import type { DenialRule } from './tunnel-run.js';
import type { TunnelTarget } from './tunnel-target.js';

export interface PlainHttpParts {
  client: Socket;
  upstream: Socket;
  /** What the client said already. */
  held: readonly Buffer[];
  target: TunnelTarget;
  /** How long the host may be silent while it is asked. */
  idleMs: number;
  carry: (sent: number, received: number) => boolean;
  denied: (rule: DenialRule) => void;
}

interface Relay extends PlainHttpParts {
  host: StreamClient;
  /** Whether a request is with the host, and what is to be done for those that wait for its answer. */
  busy: boolean;
  waiting: (() => void)[];
  /** Counts what went over the upstream's connection since the last time. */
  sample: () => void;
}

const MAX_HEADER_BYTES = 16_384;
const KEEP_ALIVE_MS = 72_000;
/** Requests that a client may send ahead of the answer to the first: each takes room here. */
const MAX_WAITING = 16;
/** Where a body ends and whom a request is for are no matter of the connection: without them the host would read something else. */
const NEVER_HOP_BY_HOP: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'host']);
/** Of one connection, and no business of the host behind it. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect'],
]);

const relays = new WeakMap<Socket, Relay>();

/** Parses strictly what clients of tunnels say; it never listens. */
const server = createServer({
  ...{ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 },
  // A request without a host is refused as one with another host is, and recorded.
  requireHostHeader: false,
});
server.on('request', (request, response) => {
  const relay = relays.get(request.socket);
  if (relay === undefined) request.socket.destroy();
  else take(relay, request, response);
});
server.on('connect', (_request: IncomingMessage, socket: Socket) => {
  relays.get(socket)?.denied('http');
  socket.end(rawAnswer(405, 'Method Not Allowed', 'no connection leads on from here'));
});
server.on('clientError', (_error, socket) => {
  relays.get(socket as Socket)?.denied('http');
  if (socket.writable) socket.end(rawAnswer(400, 'Bad Request', 'not HTTP as it is written'));
  else socket.destroy();
});

/**
 * Plain HTTP ends here and is sent on anew: what the host reads is what was judged, request after request on one connection. Only
 * requests to the tunnel's own host pass.
 */
export function relayPlainHttp(parts: PlainHttpParts): void {
  const { client, upstream, held } = parts;
  let [sent, received] = [upstream.bytesWritten, upstream.bytesRead];
  const relay: Relay = {
    ...parts,
    host: new StreamClient(upstream, parts.target.name, parts.target.port),
    busy: false,
    waiting: [],
    sample: () => {
      const [sentNow, receivedNow] = [upstream.bytesWritten, upstream.bytesRead];
      parts.carry(sentNow - sent, receivedNow - received);
      [sent, received] = [sentNow, receivedNow];
    },
  };
  relays.set(client, relay);
  // Held back until the first request; bytes count as they come, in whatever part of an answer.
  upstream.on('data', relay.sample);
  upstream.once('close', () => {
    relay.sample();
    if (!relay.busy) client.destroySoon();
  });
  for (const chunk of held.toReversed()) client.unshift(chunk);
  server.emit('connection', client);
  client.resume();
}

function take(relay: Relay, request: IncomingMessage, response: ServerResponse): void {
  // What came in one piece with the request that was one too many.
  if (relay.client.destroyed) return;
  const problem = problemOf(request, relay.target);
  if (problem !== null) {
    relay.denied(problem.rule);
    refuse(response, 421, problem.words);
    return;
  }
  if (relay.waiting.length >= MAX_WAITING) {
    relay.denied('http');
    relay.client.destroy();
    return;
  }
  relay.waiting.push(() => {
    response.once('close', () => {
      relay.busy = false;
      relay.sample();
      takeNext(relay);
    });
    request.on('data', relay.sample);
    try {
      forward(relay, request, response);
    } catch {
      refuse(response, 502, 'the request could not be sent on');
    }
  });
  if (!relay.busy) takeNext(relay);
}

/** One request after the other: the next one is sent when the answer to the one before it has gone out whole. */
function takeNext(relay: Relay): void {
  if (relay.upstream.destroyed) {
    relay.waiting = [];
    relay.client.destroySoon();
    return;
  }
  const next = relay.waiting.shift();
  if (next === undefined) return;
  relay.busy = true;
  next();
}

/** Why a request is not sent on; null for one that names the tunnel's host and nothing else. */
function problemOf(
  request: IncomingMessage,
  target: TunnelTarget,
): { rule: Extract<DenialRule, 'host' | 'http'>; words: string } | null {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length !== 1 || !namesTarget(hosts[0] ?? '', target))
    return { rule: 'host', words: `this connection leads to ${target.name}:${target.port} alone` };
  if (pathOf(request, target) === null) return { rule: 'host', words: 'the address names another host' };
  const { headers } = request;
  if (headers.upgrade !== undefined) return { rule: 'http', words: 'no other protocol is spoken here' };
  if (ofConnection(headers).some((name) => NEVER_HOP_BY_HOP.has(name)))
    return { rule: 'http', words: 'a header that belongs to the request is called one of the connection' };
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || headers['content-length'] !== undefined))
    return { rule: 'http', words: 'the length of the body is not plain' };
  return null;
}

function namesTarget(authority: string, { name, port }: TunnelTarget): boolean {
  const plain = authority.toLowerCase();
  return plain === `${name}:${port}` || (port === 80 && plain === name);
}

/** The path of the request line; null when it names another host. */
function pathOf({ url = '', method }: IncomingMessage, target: TunnelTarget): string | null {
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return url;
  const [, authority = '', path = ''] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
  if (!namesTarget(authority, target)) return null;
  return path.startsWith('/') ? path : `/${path}`;
}

function forward(relay: Relay, request: IncomingMessage, response: ServerResponse): void {
  const { host, target, upstream, idleMs } = relay;
  // Between two requests whoever keeps the connection takes it away.
  upstream.setTimeout(idleMs);
  const outgoing = host.request(request.method, pathOf(request, target) ?? '/');
  for (const [name, values] of endToEnd(request)) if (name !== 'host') outgoing.setHeader(name, values);
  if (request.headers['transfer-encoding'] !== undefined) outgoing.setHeader('transfer-encoding', 'chunked');
  let isAnswered = false;
  outgoing.once('response', (answer) => {
    isAnswered = true;
    try {
      for (const [name, values] of endToEnd(answer)) response.setHeader(name, values);
      if (answer.headers.connection?.toLowerCase() === 'close') response.setHeader('connection', 'close');
      response.writeHead(answer.statusCode ?? 502);
    } catch {
      answer.destroy();
      refuse(response, 502, 'the answer of the host cannot be passed on');
      return;
    }
    pipeline(answer, response, (error) => {
      if (error) relay.client.destroy();
    });
  });
  const unanswered = (): void => refuse(response, 502, 'the host did not answer');
  outgoing.on('error', unanswered);
  // Without an error, such as where the host answers with another protocol.
  outgoing.once('close', () => {
    if (!isAnswered) unanswered();
  });
  response.once('close', () => {
    if (!response.writableFinished) outgoing.destroy();
  });
  pipeline(request, outgoing, () => undefined);
}

/** Headers that are meant for the other end, by name, with every value. */
function endToEnd({ headersDistinct, headers }: IncomingMessage): [string, string[]][] {
  const named = ofConnection(headers);
  return Object.entries(headersDistinct).flatMap(([name, values]): [string, string[]][] =>
    values === undefined || HOP_BY_HOP.has(name) || named.includes(name) ? [] : [[name, values]],
  );
}

/** Headers that the connection header calls its own. */
function ofConnection({ connection = '' }: IncomingHttpHeaders): string[] {
  return connection.split(',').map((name) => name.trim().toLowerCase());
}

function refuse(response: ServerResponse, status: number, words: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`Sandgate: ${words}.\n`);
}

function rawAnswer(status: number, reason: string, words: string): string {
  const body = `Sandgate: ${words}.\n`;
  return `HTTP/1.1 ${status} ${reason}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
}
