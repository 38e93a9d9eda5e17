import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import { readAddress, holds, type Address, type Network } from './address-classes.js';
import { PRIVATE_ADDRESS } from './admission.js';
import { openRoute, type ConnectorSettings } from './connector.js';
import { EgressError } from './egress-error.js';
import { chooseRoute, resolveBySystem, type Resolve, type Route } from './outbound-route.js';

/** Name, TCP and proxy together. */
const OPEN_MS = 10_000;
const MAX_PINNED = 256;

/** The addresses to which names led when they were last judged; whoever opens streams for one party keeps one. */
export class AddressPins {
  private readonly known: LRUCache<string, readonly Address[]>;

  constructor(keptMs: number) {
    this.known = new LRUCache({ max: MAX_PINNED, ttl: keptMs });
  }

  get(name: string): readonly Address[] | undefined {
    return this.known.get(name);
  }

  set(name: string, addresses: readonly Address[]): void {
    this.known.set(name, addresses);
  }

  forget(name: string): void {
    this.known.delete(name);
  }
}

export interface StreamRequest {
  /** A name in lower case, not an address. */
  host: string;
  port: number;
  /** Networks that stay closed to this party although its host may be reached. */
  closed: readonly Network[];
  pins: AddressPins;
  signal: AbortSignal;
}

/**
 * A plain TCP stream to a host that a tenant named (docs/design/egress.md): every address of the name is judged, one refused address
 * refuses the name, and only what was judged is dialled. Nothing is read from the socket before the caller asks for it.
 *
 * @throws EgressError `address`, `dns`, `connect`, `peer`, `proxy`, `timeout` or `aborted`
 */
export async function openStream(settings: ConnectorSettings, request: StreamRequest): Promise<Socket> {
  const deadline = AbortSignal.timeout(OPEN_MS);
  const signal = AbortSignal.any([request.signal, deadline]);
  const { promise: given, reject } = Promise.withResolvers<never>();
  const stop = (): void => {
    const late = deadline.aborted;
    reject(new EgressError(late ? 'timeout' : 'aborted', false, late ? `no connection in ${OPEN_MS} ms` : 'given up'));
  };
  signal.addEventListener('abort', stop, { once: true });
  const opening = open(settings, { ...request, signal });
  try {
    if (signal.aborted) stop();
    return await Promise.race([opening, given]);
  } catch (cause) {
    // A resolver that answers late leaves nothing open.
    opening.then(
      (socket) => socket.destroy(),
      () => undefined,
    );
    throw cause;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function open(settings: ConnectorSettings, request: StreamRequest): Promise<Socket> {
  const { host, port, pins, signal } = request;
  const pinned = pins.get(host);
  const route: Route = pinned === undefined ? await judge(settings, request) : { via: 'direct', addresses: pinned };
  if (route.via === 'direct') {
    refuseClosed(route.addresses, request.closed);
    // From when they were judged, however often they are used.
    if (pinned === undefined) pins.set(host, route.addresses);
  }
  signal.throwIfAborted();
  try {
    return await openRoute(settings, route, host, port, signal);
  } catch (cause) {
    // The name may lead elsewhere by now.
    if (cause instanceof EgressError && cause.reason === 'connect') pins.forget(host);
    throw cause;
  }
}

async function judge(settings: ConnectorSettings, { host }: StreamRequest): Promise<Route> {
  const { networks, proxy, resolve = resolveBySystem } = settings;
  if (readAddress(host) !== null) throw new EgressError('address', false, 'a name is needed, not an address');
  let answered = 0;
  const counted: Resolve = async (name) => {
    const answers = await resolve(name);
    answered = answers.length;
    return answers;
  };
  const route = await chooseRoute(
    { lane: 'guarded', networks, resolve: counted, proxied: proxy !== null },
    host,
    false,
  );
  if (route.via === 'direct' && answered > route.addresses.length)
    throw new EgressError('address', false, `the name also leads to a ${PRIVATE_ADDRESS}`);
  return route;
}

function refuseClosed(addresses: readonly Address[], closed: readonly Network[]): void {
  if (addresses.some((address) => closed.some((network) => holds(network, address))))
    throw new EgressError('address', false, 'the name leads to an address that the policy denies');
}
