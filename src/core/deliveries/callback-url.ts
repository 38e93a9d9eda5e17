import { classOf, readAddress } from '../../platform/egress/address-classes.js';
import { PLAIN_HTTP } from '../../platform/egress/admission.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import { isLocalhost, plainName } from '../../platform/egress/host-names.js';

/** What decides about the address of a callback. */
export interface CallbackRule {
  client: Pick<GuardedClient, 'admitUrl'>;
  /** The base of links that this deployment hands out. */
  publicUrl: string;
}

/**
 * Why results must not be sent to the address, or null (docs/design/deliveries.md). Made when a trigger is saved, and again before
 * each attempt, because the configuration may have changed. https alone; plain http from a deployment that itself is http on
 * loopback, to loopback that the operator opened. Names are not resolved.
 *
 * @returns what `callback_url rejected: …` goes on with; nothing of it is an address
 */
export function refuseCallbackUrl(url: string, { client, publicUrl }: CallbackRule): string | null {
  const refused = client.admitUrl(url);
  if (refused !== null) return refused;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return null;
  const own = new URL(publicUrl);
  return own.protocol === 'http:' && isLoopback(own.hostname) && isLoopback(hostname) ? null : PLAIN_HTTP;
}

/** @param hostname as `URL.hostname` gives it */
function isLoopback(hostname: string): boolean {
  const address = readAddress(hostname);
  return address === null ? isLocalhost(plainName(hostname)) : classOf(address) === 'loopback';
}
