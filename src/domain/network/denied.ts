import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { reaches, type NamePattern, type NameTarget, type PortRange } from './target.js';

/**
 * Whether a target that the policy denies, as the policy writes it, means a connection to that name and port. One that cannot be
 * read denies everything: what a policy refuses is never let through by a slip of its writer.
 */
export function deniesName(denied: JsonObject, name: string, port: number): boolean {
  const ports = readPorts(denied['ports']);
  if (ports === null) return true;
  if (denied['protocol'] === 'udp' || denied['kind'] === 'cidr') return false;
  const pattern = readPattern(denied['pattern']);
  if (denied['kind'] !== 'dns' || pattern === null) return true;
  const target: NameTarget = { kind: 'dns', pattern, ports, protocol: 'tcp' };
  return reaches(target, name, port);
}

/** The networks among denied targets that mean this port, as `address/prefix`. */
export function deniedNetworks(denied: readonly JsonObject[], port: number): string[] {
  return denied
    .filter((target) => target['kind'] === 'cidr' && target['protocol'] !== 'udp')
    .filter((target) => readPorts(target['ports'])?.some(({ from, to }) => from <= port && port <= to) === true)
    .map(({ cidr }) => (typeof cidr === 'string' ? cidr : 'no network'));
}

function readPattern(value: JsonValue | undefined): NamePattern | null {
  if (!isJsonObject(value)) return null;
  const { kind, name, suffix } = value;
  if (kind === 'exact' && typeof name === 'string') return { kind, name: plain(name) };
  return kind === 'wildcard' && typeof suffix === 'string' ? { kind, suffix: plain(suffix) } : null;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/^\.+|\.+$/g, '');
}

function readPorts(value: JsonValue | undefined): PortRange[] | null {
  if (!Array.isArray(value)) return null;
  const ranges = value.map((range) => (isJsonObject(range) ? toRange(range['from'], range['to']) : null));
  return ranges.every((range) => range !== null) ? ranges : null;
}

function toRange(from: JsonValue | undefined, to: JsonValue | undefined): PortRange | null {
  return typeof from === 'number' && typeof to === 'number' ? { from, to } : null;
}
