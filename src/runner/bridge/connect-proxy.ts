import type http from 'node:http';
import type net from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeHttp } from '../contract/node-http.js';
import type { RefusalLog } from './refusal-log.js';
import { openTunnel, type OpenTunnel, type TunnelAddress, type TunnelAnswer } from './tunnel-client.js';

export interface ConnectProxy {
  /** What `HTTPS_PROXY` names, for example `http://127.0.0.1:3128`. */
  url: string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const PORT = 3128;
const MAX_HEADER_BYTES = 16_384;
const MAX_PHRASE = 300;
/** Absolute form of a request to a proxy (RFC 9112 §3.2.2). */
const ABSOLUTE = /^http:\/\/([^/?#@]+)([^#]*)$/i;
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'te',
  'upgrade',
  'host',
]);

/**
 * The way out of a sandbox: an HTTP proxy on loopback that asks the control plane for a tunnel per connection. It decides
 * nothing; whoever connects to it gets what the run may have (docs/design/tunnels.md).
 */
export async function openConnectProxy(address: TunnelAddress, refusals: RefusalLog): Promise<ConnectProxy> {
  const open = new Set<Duplex>();
  const keep = (socket: Duplex): void => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  const ask = async (target: string, isBulk: boolean): Promise<TunnelAnswer> => {
    const answer = await openTunnel(address, target, isBulk).catch(() => unreachable());
    if ('socket' in answer) keep(answer.socket);
    else refusals.note(target, answer.words);
    return answer;
  };
  const server = nodeHttp.createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 });
  server.on('connection', keep);
  server.on(
    'connect',
    (request, client: net.Socket, head) => void connect(request, client, head, (target) => ask(target, true)),
  );
  const agent = tunnelAgent((target) => ask(target, false));
  server.on('request', (request, response) => relay(request, response, agent));
  const port = await listen(server);
  server.unref();
  return {
    url: `http://${HOST}:${port}`,
    close: async () => {
      agent.destroy();
      for (const socket of open) socket.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

function unreachable(): { status: number; words: string } {
  return { status: 502, words: 'the control plane could not be reached' };
}

/** The usual port of proxies; another one where it is taken, which only happens outside of a sandbox of one's own. */
function listen(server: http.Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once('listening', () => {
    const address = server.address();
    resolve(typeof address === 'object' && address !== null ? address.port : PORT);
  });
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE' && !server.listening) server.listen(0, HOST);
    else reject(error);
  });
  server.listen(PORT, HOST);
  return promise;
}

async function connect(
  request: http.IncomingMessage,
  client: net.Socket,
  head: Buffer,
  ask: (target: string) => Promise<TunnelAnswer>,
): Promise<void> {
  client.on('error', () => client.destroy());
  const answer = await ask(request.url ?? '');
  if (!('socket' in answer)) {
    const { status, words } = shown(answer);
    client.end(refusalText(status, words));
    return;
  }
  const { socket } = answer;
  if (client.destroyed) {
    socket.destroy();
    return;
  }
  client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) socket.write(head);
  splice(client, answer);
}

/** Carries bytes both ways; each side's end is passed on as it comes. */
function splice(client: net.Socket, { socket: tunnel, carryTo }: OpenTunnel): void {
  client.once('close', () => tunnel.destroy());
  tunnel.once('close', () => client.destroySoon());
  client.pipe(tunnel);
  carryTo(client);
}

/** A request in absolute form, as package managers send it for plain http: it goes on in origin form, over a tunnel. */
function relay(request: http.IncomingMessage, response: http.ServerResponse, agent: http.Agent): void {
  const [, authority = '', path = ''] = ABSOLUTE.exec(request.url ?? '') ?? [];
  const [host = '', port = '80'] = authority.split(':');
  if (host === '') {
    response.writeHead(400, { 'content-type': 'text/plain', connection: 'close' });
    response.end('Sandgate: this is the proxy of the run; it takes CONNECT, and http:// addresses.\n');
    return;
  }
  const outgoing = nodeHttp.request({
    ...{ agent, host, port: Number(port), method: request.method, setHost: false },
    path: path.startsWith('/') ? path : `/${path}`,
  });
  outgoing.setHeader('host', authority);
  for (const [name, values] of Object.entries(request.headersDistinct))
    if (values !== undefined && !HOP_BY_HOP.has(name)) outgoing.setHeader(name, values);
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.once('error', (error) => {
    if (response.headersSent) return response.destroy();
    const { status, words } = error instanceof RefusedError ? shown(error) : unreachable();
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    return response.end(`Sandgate: ${words}.\n`);
  });
  response.once('close', () => outgoing.destroy());
  request.pipe(outgoing);
}

class RefusedError extends Error {
  constructor(
    readonly status: number,
    readonly words: string,
  ) {
    super(words);
  }
}

function tunnelAgent(ask: (target: string) => Promise<TunnelAnswer>): http.Agent {
  const agent = new nodeHttp.Agent({ keepAlive: true, maxFreeSockets: 8, timeout: 30_000 });
  agent.createConnection = (options, done) => {
    const { host, port } = options as { host: string; port: number };
    ask(`${host}:${port}`).then(
      (answer) => {
        if ('socket' in answer) done?.(null, answer.socket.resume());
        else done?.(new RefusedError(answer.status, answer.words), undefined as never);
      },
      (error: unknown) => done?.(error as Error, undefined as never),
    );
    return undefined;
  };
  return agent;
}

/** A refusal as the proxy answers it: statuses of the plane that tools would take for their own are one. */
function shown({ status, words }: { status: number; words: string }): { status: number; words: string } {
  return { status: [403, 429, 502, 503, 504].includes(status) ? status : 403, words };
}

/** The words stand in the body, which no tool shows, and after the status, which pip and go do. */
function refusalText(status: number, words: string): string {
  const body = `Sandgate: ${words}.\n`;
  const phrase = `Sandgate: ${words}`.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_PHRASE);
  const lines = [
    `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status] ?? 'Refused'} (${phrase})`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
