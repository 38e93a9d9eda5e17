import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { checkPeer, openTcp, openTunnel, startTls, type OpenTcp } from './dial.js';
import { EgressError } from './egress-error.js';
import { chooseRoute, resolveBySystem, type Lane, type Resolve, type Route } from './outbound-route.js';
import type { NetworkList } from './network-list.js';

/** Name, TCP, proxy and TLS together. */
const CONNECT_MS = 10_000;

export interface ConnectorSettings {
  networks: NetworkList;
  /** Carries everything but loopback and the opened networks; null: connections are direct. */
  proxy: URL | null;
  /** The system's resolver by default. */
  resolve?: Resolve;
  /** The only trusted certificates, in PEM; the roots of Node and NODE_EXTRA_CA_CERTS by default. */
  ca?: string;
  openTcp?: OpenTcp;
  /** What TLS offers; HTTP/1.1 alone by default. */
  protocols?: string[];
}

/**
 * How undici opens connections toward the outside: the address is chosen and checked here, and the peer is checked again before
 * the first byte. Proxy variables of the environment have no effect (docs/design/egress.md).
 */
export function createConnector(settings: ConnectorSettings, lane: Lane): buildConnector.connector {
  return (options, done) => {
    connect(settings, lane, options).then(
      (socket) => done(null, socket),
      (cause: unknown) => done(asConnectError(cause), null),
    );
  };
}

async function connect(
  settings: ConnectorSettings,
  lane: Lane,
  { hostname, protocol, port }: buildConnector.Options,
): Promise<Socket> {
  const secure = protocol === 'https:';
  const target = { host: hostname, port: port === '' ? (secure ? 443 : 80) : Number(port) };
  const deadline = new AbortController();
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.abort();
    reject(new EgressError('connect', false, `no connection in ${CONNECT_MS} ms`));
  }, CONNECT_MS);
  const opened = open(settings, lane, target, secure, deadline.signal);
  try {
    return await Promise.race([opened, expired]);
  } catch (cause) {
    // A resolver that answers after the deadline leaves nothing open: every later step checks the signal.
    opened.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}

async function open(
  settings: ConnectorSettings,
  lane: Lane,
  { host, port }: { host: string; port: number },
  secure: boolean,
  signal: AbortSignal,
): Promise<Socket> {
  const { networks, proxy, resolve = resolveBySystem } = settings;
  const route = await chooseRoute({ lane, networks, resolve, proxied: proxy !== null }, host, !secure);
  const socket = await openRoute(settings, route, host, port, signal);
  return secure ? startTls(socket, host, signal, settings) : socket;
}

/** Opens what was chosen. @throws EgressError `connect`, `peer` or `proxy` */
export async function openRoute(
  settings: ConnectorSettings,
  route: Route,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { proxy } = settings;
  if (route.via === 'proxy' && proxy !== null) {
    return openTunnel(proxy, host.includes(':') ? `[${host}]` : host, port, signal);
  }
  if (route.via === 'proxy') throw new EgressError('proxy', false, 'a proxy is needed and none is configured');
  const socket = await (settings.openTcp ?? openTcp)(route.addresses, port, signal);
  checkPeer(socket, route.addresses);
  return socket;
}

function asConnectError(cause: unknown): EgressError {
  return cause instanceof EgressError ? cause : new EgressError('connect', false, 'no connection', { cause });
}
