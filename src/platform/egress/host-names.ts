/** Names under which clouds serve credentials to whoever asks; with a proxy the proxy would resolve them. */
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.azure.internal',
  'metadata.azure.com',
  'metadata.tencentyun.com',
  'metadata.platformequinix.com',
  'metadata.packet.net',
  'metadata.softlayer.local',
  'instance-data',
  'instance-data.ec2.internal',
  'rancher-metadata',
]);

/** Last labels that no public name has (RFC 6761, 6762, 8375, 9476 and ICANN's `internal`), and what routers and offices use. */
const INSIDE_ZONES = /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa)$/;

/** A host name without the dot of the root, in lower case. */
export function plainName(host: string): string {
  return host.toLowerCase().replace(/\.+$/, '');
}

export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

export function isMetadataName(name: string): boolean {
  return METADATA_NAMES.has(name);
}

/** Whether only a network of one's own can know the name: one label, or a zone that is not delegated. */
export function isInsideName(name: string): boolean {
  return !name.includes('.') || INSIDE_ZONES.test(name);
}
