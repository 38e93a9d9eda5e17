import ipaddr from 'ipaddr.js';

/** Classes of addresses that nothing outbound may reach unless the operator lists the network. */
export type AddressClass =
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'reserved'
  | 'documentation'
  | 'tunnel';

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Network = readonly [Address, number];

const net = (cidr: string): Network => ipaddr.parseCIDR(cidr);
const nets = (...cidrs: string[]): Network[] => cidrs.map(net);

/** The first list that matches names the class: metadata before the networks around it. */
const IPV4: readonly (readonly [AddressClass, Network[]])[] = [
  // Azure's is a public address by its number; the others lie in ranges below.
  [
    'metadata',
    nets('169.254.169.254/32', '169.254.170.2/32', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'),
  ],
  ['unspecified', nets('0.0.0.0/8')],
  ['loopback', nets('127.0.0.0/8')],
  ['private', nets('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10')],
  ['link-local', nets('169.254.0.0/16')],
  ['multicast', nets('224.0.0.0/4')],
  ['documentation', nets('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24')],
  ['reserved', nets('192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4')],
];

const IPV6: readonly (readonly [AddressClass, Network[]])[] = [
  ['metadata', nets('fd00:ec2::/32', 'fd20:ce::/32')],
  ['unspecified', nets('::/128')],
  ['loopback', nets('::1/128')],
  ['private', nets('fc00::/7', 'fec0::/10')],
  ['link-local', nets('fe80::/10')],
  ['multicast', nets('ff00::/8')],
  ['documentation', nets('2001:db8::/32', '3fff::/20')],
  // Teredo and 6to4 carry IPv4 through relays that we do not run; both contain an address that may be internal.
  ['tunnel', nets('2001::/32', '2002::/16')],
  ['reserved', nets('2001::/23')],
];

/** Only these IPv6 addresses are routed on the internet. */
const IPV6_GLOBAL = net('2000::/3');
/** Their last 32 bits are an IPv4 address, by which they are judged (docs/design/egress.md). */
const IPV6_HOLDS_IPV4 = nets('::ffff:0:0/96', '::/96', '64:ff9b::/96');

/**
 * Reads an address as sockets and resolvers write it.
 *
 * @returns null for anything else, also for an address with a zone, because zones exist on local links only
 */
export function readAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  if (!bare.includes(':') || bare.includes('%') || !ipaddr.IPv6.isValid(bare)) return null;
  return ipaddr.IPv6.parse(bare);
}

/** An address in the one spelling that compares; a mapped one is the IPv4 address for which it stands. */
export function spellAddress(address: Address): string {
  const plain = ipaddr.process(address.toString());
  return plain.kind() === 'ipv4' ? plain.toString() : (plain as ipaddr.IPv6).toRFC5952String();
}

/** What is handed out to one customer at a time: an IPv4 address, of IPv6 the network of 64 bits. */
export function holderOf(address: Address): string {
  const text = spellAddress(address);
  return text.includes(':') ? `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/64`).toRFC5952String()}/64` : text;
}

/** The refused class of an address; null for one on the internet. */
export function classOf(address: Address): AddressClass | null {
  if (address.kind() === 'ipv4') return listed(IPV4, address);
  const v6 = address as ipaddr.IPv6;
  const own = listed(IPV6, v6);
  if (own !== null) return own;
  const inner = embeddedIpv4(v6);
  if (inner !== null) return classOf(inner);
  if (!v6.match([...IPV6_GLOBAL])) return 'reserved';
  const tunnelled = isatapIpv4(v6);
  return tunnelled === null ? null : classOf(tunnelled);
}

/** Whether the network holds the address; one of IPv4 also holds its mapped, compatible and NAT64 forms. */
export function holds([network, bits]: Network, address: Address): boolean {
  if (network.kind() === address.kind()) return address.match([network, bits]);
  const inner = address.kind() === 'ipv6' ? embeddedIpv4(address as ipaddr.IPv6) : null;
  return inner !== null && network.kind() === 'ipv4' && inner.match([network, bits]);
}

function listed(classes: typeof IPV4, address: Address): AddressClass | null {
  return classes.find(([, networks]) => networks.some((network) => holds(network, address)))?.[0] ?? null;
}

function embeddedIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  return IPV6_HOLDS_IPV4.some((network) => address.match([...network])) ? lastIpv4(address) : null;
}

/** The interface identifier of ISATAP (RFC 5214 §6.1), which stands in any prefix. */
function isatapIpv4(address: ipaddr.IPv6): ipaddr.IPv4 | null {
  const [high, low] = address.parts.slice(4, 6);
  return low === 0x5efe && (high === 0 || high === 0x0200) ? lastIpv4(address) : null;
}

function lastIpv4(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}
