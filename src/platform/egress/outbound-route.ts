import { lookup } from 'node:dns/promises';
import { readAddress, type Address } from './address-classes.js';
import { judgeAddress, LOCALHOST, PLAIN_HTTP, PRIVATE_ADDRESS, type Refusal } from './admission.js';
import { EgressError } from './egress-error.js';
import { isInsideName, isLocalhost, isMetadataName, plainName } from './host-names.js';
import type { NetworkList } from './network-list.js';

/** Every address of a name, in the order of preference; rejects when there is none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** The resolver of the system, hosts file included. */
export const resolveBySystem: Resolve = async (name) => {
  const answers = await lookup(name, { all: true, order: 'verbatim' });
  return answers.map(({ address }) => address);
};

/**
 * `guarded`: toward hosts that tenants and the internet name; classes of addresses are refused. `operator`: toward hosts that the
 * operator configured (docs/design/egress.md).
 */
export type Lane = 'guarded' | 'operator';

export interface RouteSettings {
  lane: Lane;
  networks: NetworkList;
  resolve: Resolve;
  /** Whether a proxy carries what is neither loopback nor in an opened network. */
  proxied: boolean;
}

/** Where a connection goes: to one of these addresses and nowhere else, or to the proxy, which resolves the name. */
export type Route = { via: 'direct'; addresses: readonly Address[] } | { via: 'proxy' };

/** Checking whether a name lies in an opened network must not delay a request that goes to the proxy. */
const SIDE_LOOK_MS = 3_000;

/**
 * Decides where a connection goes: a name is resolved once, every answer is judged, and what was judged is what is dialled.
 *
 * @param host as `URL.hostname` gives it
 * @throws EgressError `address`, `plain_http` or `dns`; nothing was sent
 */
export async function chooseRoute(settings: RouteSettings, host: string, plainHttp: boolean): Promise<Route> {
  const literal = readAddress(host);
  const name = plainName(host);
  if (literal === null && settings.lane === 'guarded' && isMetadataName(name)) {
    throw unsent('address', `${PRIVATE_ADDRESS} (metadata)`);
  }
  const known = literal !== null ? [literal] : isLocalhost(name) ? LOCALHOST : null;
  if (!settings.proxied)
    return { via: 'direct', addresses: keep(settings, known ?? (await ask(settings, name)), plainHttp) };
  return routeWithProxy(settings, name, known, plainHttp);
}

async function routeWithProxy(
  settings: RouteSettings,
  name: string,
  known: readonly Address[] | null,
  plainHttp: boolean,
): Promise<Route> {
  const { lane, networks } = settings;
  if (known !== null) {
    const admitted = keep(settings, known, plainHttp);
    const inside = admitted.filter((address) => networks.lists(address) || isLoopback(address));
    return inside.length > 0 ? { via: 'direct', addresses: inside } : { via: 'proxy' };
  }
  const answers = networks.empty ? [] : await lookAside(settings, name);
  const opened = answers.filter((address) => networks.lists(address));
  if (opened.length > 0 && opened.length === answers.length) return { via: 'direct', addresses: opened };
  if (lane === 'guarded') {
    if (plainHttp) throw unsent('plain_http', PLAIN_HTTP);
    // The proxy may resolve such names into a closed network.
    if (isInsideName(name)) throw unsent('address', `${PRIVATE_ADDRESS} (private)`);
  }
  return { via: 'proxy' };
}

/** The addresses that may be dialled. */
function keep({ lane, networks }: RouteSettings, answers: readonly Address[], plainHttp: boolean): readonly Address[] {
  if (lane === 'operator') return answers;
  const judged = answers.map((address) => ({ address, refusal: judgeAddress(address, plainHttp, networks) }));
  const kept = judged.filter(({ refusal }) => refusal === null).map(({ address }) => address);
  const refusal: Refusal | undefined = judged[0]?.refusal ?? undefined;
  if (kept.length === 0 && refusal !== undefined) throw unsent(refusal.reason, refusal.text);
  return kept;
}

/** @throws EgressError `dns` */
async function ask({ resolve }: RouteSettings, name: string): Promise<readonly Address[]> {
  const answers = await resolve(name).catch((cause: unknown) => {
    throw unsent('dns', 'the host name could not be resolved', cause);
  });
  const addresses = answers.flatMap((answer) => readAddress(answer) ?? []);
  if (addresses.length === 0) throw unsent('dns', 'the host name has no address');
  return addresses;
}

/** A name that only the proxy can resolve lies in no opened network. */
async function lookAside(settings: RouteSettings, name: string): Promise<readonly Address[]> {
  const late = Promise.withResolvers<readonly Address[]>();
  const timer = setTimeout(() => late.resolve([]), SIDE_LOOK_MS);
  try {
    return await Promise.race([ask(settings, name).catch(() => []), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the address is one of this host (127.0.0.0/8 or ::1). */
function isLoopback(address: Address): boolean {
  return address.range() === 'loopback';
}

function unsent(reason: 'dns' | Refusal['reason'], text: string, cause?: unknown): EgressError {
  return new EgressError(reason, false, text, { cause });
}
