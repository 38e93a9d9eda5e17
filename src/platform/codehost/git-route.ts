import { isIP } from 'node:net';
import { SandgateError } from '../../domain/errors.js';
import { isConfiguredHost, type CodehostConfig } from '../config/codehost.config.js';
import { EgressError } from '../egress/egress-error.js';
import type { Egress } from '../egress/egress.js';
import { resolveBySystem } from '../egress/outbound-route.js';
import type { GitRoute } from '../workspace/index.js';

/**
 * How git reaches the host of a clone URL: through the addresses that were looked up and judged here, or through the proxy, which
 * looks the name up itself (docs/design/workspaces.md, docs/design/egress.md). Only the host that the operator configured may lie in a closed
 * class of addresses.
 *
 * @throws SandgateError `invalid_request` for a host that may not be dialled, `upstream_failed` for one that cannot be found
 */
export async function gitRoute(
  egress: Pick<Egress, 'guarded' | 'operator' | 'proxy'>,
  codehost: CodehostConfig,
  url: URL,
): Promise<GitRoute> {
  const client = isConfiguredHost(codehost, url) ? egress.operator : egress.guarded;
  try {
    const addresses = await client.resolvePinned(url.hostname);
    if (addresses !== null) return { resolve: pins(url, addresses), proxy: null };
    if (client === egress.guarded) refuse(egress.guarded.admitUrl(url.href));
    return await throughProxy(egress.proxy);
  } catch (cause) {
    if (!(cause instanceof EgressError)) throw cause;
    const temporary = cause.reason === 'dns' || cause.reason === 'proxy';
    const code = temporary ? 'upstream_failed' : 'invalid_request';
    throw new SandgateError(code, `the repository could not be fetched: ${cause.message}`, { cause });
  }
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new SandgateError('invalid_request', `the repository could not be fetched: ${reason}`);
}

/** git cannot look up names, so it is also given the addresses of the proxy. */
async function throughProxy(proxy: URL | null): Promise<GitRoute> {
  if (proxy === null) throw new SandgateError('internal', 'a proxy is needed and none is configured');
  const addresses = isIP(bareHost(proxy)) === 0 ? await resolveProxy(proxy) : [];
  return { resolve: pins(proxy, addresses), proxy: proxy.href.replace(/\/$/, '') };
}

async function resolveProxy(proxy: URL): Promise<readonly string[]> {
  try {
    return await resolveBySystem(proxy.hostname);
  } catch (cause) {
    throw new EgressError('proxy', false, 'the name of the proxy (SERVICE_EGRESS_PROXY) could not be resolved', {
      cause,
    });
  }
}

/** Entries of `http.curloptResolve`; a host that is an address needs none. */
function pins(url: URL, addresses: readonly string[]): string[] {
  if (isIP(bareHost(url)) !== 0) return [];
  const listed = addresses.map((address) => (isIP(address) === 6 ? `[${address}]` : address));
  return [`${url.hostname}:${portOf(url)}:${listed.join(',')}`];
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}
