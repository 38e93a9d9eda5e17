import ipaddr from 'ipaddr.js';
import { classOf, holds, type Address, type AddressClass, type Network } from './address-classes.js';

/**
 * Reads `address/prefix`, for example `10.1.0.0/16` or `fd12::/32`.
 *
 * @throws Error that says what is wrong, when bits below the prefix are set too: `10.1.2.3/16` could mean one address or 65,536
 */
export function readNetwork(text: string): Network {
  const [, address = '', prefix = ''] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const four = ipaddr.IPv4.isValidFourPartDecimal(address);
  const known = four || (address.includes(':') && ipaddr.IPv6.isValid(address));
  if (!known || Number(prefix) > (four ? 32 : 128))
    throw new Error(`must be networks such as 10.1.0.0/16, not "${text}"`);
  const network = ipaddr.parseCIDR(text);
  const first = four ? ipaddr.IPv4.networkAddressFromCIDR(text) : ipaddr.IPv6.networkAddressFromCIDR(text);
  if (first.toNormalizedString() !== network[0].toNormalizedString()) {
    throw new Error(`holds "${text}", which has bits below its prefix; write ${first.toString()}/${prefix}`);
  }
  return network;
}

/** Where clouds hand out the credentials of a machine. */
const METADATA = ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254'].map((text) => ipaddr.parse(text));

/** Whether one of the networks (see `readNetwork`) holds the metadata service of a cloud. */
export function opensMetadata(cidrs: readonly string[]): boolean {
  const list = new NetworkList(cidrs.map(readNetwork));
  return METADATA.some((address) => list.lists(address));
}

/** The networks that the operator opened in spite of the classes that are closed to everybody (`SERVICE_EGRESS_ALLOW_CIDRS`). */
export class NetworkList {
  constructor(private readonly allowed: readonly Network[]) {}

  /** Whether nothing is opened. */
  get empty(): boolean {
    return this.allowed.length === 0;
  }

  /** Whether the operator opened a network that holds the address. */
  lists(address: Address): boolean {
    return this.allowed.some((network) => holds(network, address));
  }

  /** The class for which the address is refused; null when it may be reached. */
  refuses(address: Address): AddressClass | null {
    return this.lists(address) ? null : classOf(address);
  }
}
