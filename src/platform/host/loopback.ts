import { classOf, readAddress } from '../egress/address-classes.js';

/**
 * Whether a host, as a listener or a peer names it, is this machine alone: loopback in any spelling that addresses have, or `localhost`.
 * Everything else may be reached from elsewhere, names that only begin like such an address included.
 */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const address = readAddress(host);
  return address !== null && classOf(address) === 'loopback';
}
