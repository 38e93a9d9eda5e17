import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { readAddress, type Address } from './address-classes.js';
import { EgressError } from './egress-error.js';
import { plainName } from './host-names.js';

/** Opens a TCP connection to one of the addresses. Tests replace it to lead a connection elsewhere. */
export type OpenTcp = (addresses: readonly Address[], port: number, signal: AbortSignal) => Promise<Socket>;

/** The first address that answers wins; others are tried while it does not (RFC 8305, by Node). */
export const openTcp: OpenTcp = (addresses, port, signal) => {
  const answers = addresses.map((address) => ({
    address: address.toString(),
    family: address.kind() === 'ipv4' ? 4 : 6,
  }));
  // The name is only a label: the lookup returns the checked addresses and asks nobody.
  const socket = connectTcp({
    host: 'checked.invalid',
    port,
    noDelay: true,
    keepAlive: true,
    autoSelectFamily: true,
    lookup: (_name, _options, done) => done(null, answers),
  });
  return established(socket, 'connect', signal, 'connect', 'the host refused the connection or does not answer');
};

/**
 * @throws EgressError `peer` when the connection does not lead to an address that was checked; nothing was written to it
 */
export function checkPeer(socket: Socket, checked: readonly Address[]): void {
  const peer = readAddress(socket.remoteAddress ?? '');
  const bytes = peer?.toByteArray().join();
  if (bytes !== undefined && checked.some((address) => address.toByteArray().join() === bytes)) return;
  socket.destroy();
  throw new EgressError('peer', false, 'the connection did not lead to the address that was checked');
}

/** TLS over an open connection; certificates are verified whatever the environment says. */
export function startTls(
  socket: Socket,
  host: string,
  signal: AbortSignal,
  { ca, protocols = ['http/1.1'] }: { ca?: string; protocols?: string[] },
): Promise<TLSSocket> {
  const options: ConnectionOptions = {
    socket,
    host: bareHost(host),
    ALPNProtocols: protocols,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    ...(readAddress(host) === null ? { servername: bareHost(host) } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
  return established(connectTls(options), 'secureConnect', signal, 'tls', 'no TLS with a certificate for this host');
}

/**
 * A tunnel through the proxy (RFC 9110 §9.3.6), which resolves the name.
 *
 * @param proxy http or https; user and password become `proxy-authorization`
 * @throws EgressError `proxy`
 */
export function openTunnel(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const failed = (cause?: unknown, status?: number): void => {
    const what = status === undefined ? 'could not be reached' : `answered ${status} to the tunnel`;
    reject(new EgressError('proxy', false, `the proxy (SERVICE_EGRESS_PROXY) ${what}`, { cause }));
  };
  const target = `${host}:${port}`;
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const tunnel = send({
    hostname: bareHost(proxy.hostname),
    port: proxy.port === '' ? undefined : Number(proxy.port),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...proxyCredential(proxy) },
    agent: false,
    signal,
    ...(proxy.protocol === 'https:' ? { rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] } : {}),
  });
  tunnel.once('connect', ({ statusCode }, socket, head) => {
    if (statusCode === 200 && head.length === 0) return resolve(socket);
    socket.destroy();
    failed(undefined, statusCode);
  });
  tunnel.once('response', (response) => {
    response.destroy();
    failed(undefined, response.statusCode);
  });
  tunnel.once('error', failed);
  tunnel.end();
  return promise;
}

function proxyCredential({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

function bareHost(host: string): string {
  return plainName(host.replace(/^\[|\]$/g, ''));
}

/** Waits for the event; a signal or an error destroys the socket. */
async function established<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  reason: 'connect' | 'tls',
  text: string,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const fail = (cause: unknown): void => reject(new EgressError(reason, false, text, { cause }));
  const stop = (): void => void socket.destroy(new Error('took too long'));
  const closed = (): void => fail(undefined);
  socket.once(event, () => resolve(socket));
  socket.once('error', fail);
  socket.once('close', closed);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) stop();
    return await promise;
  } catch (cause) {
    socket.destroy();
    throw cause;
  } finally {
    socket.off('error', fail);
    socket.off('close', closed);
    signal.removeEventListener('abort', stop);
  }
}
