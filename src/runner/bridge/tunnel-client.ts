import net from 'node:net';
import { TUNNEL_PROTOCOL } from '../../domain/network/enforcement.js';
import { BulkReads } from './bulk-reads.js';

/** A tunnel that is open, or what the control plane said instead. */
export type TunnelAnswer = OpenTunnel | { status: number; words: string };

export interface OpenTunnel {
  socket: net.Socket;
  /** Carries what arrives to another socket, until its end; that of a tunnel for bulk is read in no other way. */
  carryTo: (to: net.Socket) => void;
}

export interface TunnelAddress {
  /** For example `http://plane`; over a unix socket the host name is only a header. */
  controlUrl: string;
  /** Unix socket of the runner plane, or null for plain TCP. */
  socketPath: string | null;
  /** The run's token of the audience `tool`; it stays in this process. */
  token: string;
}

const MAX_ANSWER_BYTES = 16_384;
/** The control plane gives a host ten seconds; its own answer should arrive. */
const ANSWER_MS = 30_000;
const HEAD_END = '\r\n\r\n';

/**
 * Asks the control plane for a tunnel: one connection for each, never a pooled one. Rejects when it cannot be reached.
 *
 * @param isBulk what arrives is only carried on; otherwise the socket is read like any other
 */
export function openTunnel(address: TunnelAddress, target: string, isBulk: boolean): Promise<TunnelAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<TunnelAnswer>();
  const bulk = isBulk ? new BulkReads((bytes) => read(bytes)) : null;
  const socket = connectPlane(address, bulk);
  let received = Buffer.alloc(0);
  const fail = (): void => {
    clearTimeout(timer);
    socket.destroy();
    reject(new Error('the control plane did not answer'));
  };
  const timer = setTimeout(fail, ANSWER_MS);
  const settle = (answer: TunnelAnswer): void => {
    clearTimeout(timer);
    socket.off('data', read).off('end', ended).off('close', fail);
    resolve(answer);
  };
  const ended = (): void => {
    if (received.length === 0) return fail();
    settle(refusalOf(received));
    socket.destroy();
  };
  /** Whether more is wanted before the tunnel is used. */
  const read = (chunk: Buffer): boolean => {
    received = Buffer.concat([received, chunk]);
    const head = received.indexOf(HEAD_END);
    if (head >= 0 && received.toString('latin1', 0, 13) === 'HTTP/1.1 101 ') {
      const rest = received.subarray(head + HEAD_END.length);
      if (bulk === null) socket.pause();
      settle({ socket, carryTo: (client) => carry(socket, client, bulk, rest) });
      if (bulk === null && rest.length > 0) socket.unshift(rest);
      return false;
    }
    if (received.length > MAX_ANSWER_BYTES) fail();
    return true;
  };
  socket.on('data', read).on('end', ended).on('close', fail);
  socket.write(requestText(address, target));
  return promise;
}

function connectPlane({ controlUrl, socketPath }: TunnelAddress, bulk: BulkReads | null): net.Socket {
  const { hostname, port } = new URL(controlUrl);
  const to = socketPath === null ? { host: hostname, port: Number(port || 80) } : { path: socketPath };
  const socket = net.connect({ ...to, allowHalfOpen: true, ...(bulk === null ? {} : { onread: bulk.onread }) });
  // Whoever uses the socket learns of a failure from its closing.
  return socket.on('error', () => socket.destroy());
}

function carry(socket: net.Socket, to: net.Socket, bulk: BulkReads | null, rest: Buffer): void {
  if (bulk === null) {
    socket.pipe(to);
    return;
  }
  if (rest.length > 0) to.write(rest);
  socket.once('end', () => to.end());
  bulk.carry(socket, to);
}

function requestText({ controlUrl, token }: TunnelAddress, target: string): string {
  const base = new URL(controlUrl);
  const path = `${base.pathname.replace(/\/+$/, '')}/internal/tunnel`;
  const headers = {
    host: base.host,
    connection: 'upgrade',
    upgrade: TUNNEL_PROTOCOL,
    authorization: `Bearer ${token}`,
    'x-tunnel-target': target,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}${HEAD_END}`;
}

/** What an answer that opened nothing says. */
function refusalOf(answer: Buffer): { status: number; words: string } {
  const text = answer.toString();
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 502);
  const words = /"error":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1];
  return { status, words: words === undefined ? 'the control plane opened no connection' : unescaped(words) };
}

function unescaped(words: string): string {
  const value: unknown = JSON.parse(`"${words}"`);
  return String(value);
}
