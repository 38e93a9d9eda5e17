import { isJsonObject, type JsonObject, type JsonValue } from '../json.js';
import { nameProblem, type NamePattern, type NameTarget, type PortRange } from './target.js';

/** What a target of a policy means for connections by name over TCP. */
export type PolicyTarget =
  | { kind: 'names'; target: NameTarget }
  /** A network: judged by the addresses that a name leads to. */
  | { kind: 'addresses'; cidr: string; ports: PortRange[] }
  /** Nothing over TCP. */
  | { kind: 'none' };

/** Reads a target as a policy writes it; null for one that nobody can read. */
export function readPolicyTarget(written: JsonObject): PolicyTarget | null {
  const ports = readPorts(written['ports']);
  const { protocol, kind, cidr } = written;
  if (ports === null || (protocol !== 'tcp' && protocol !== 'udp')) return null;
  if (protocol === 'udp') return { kind: 'none' };
  if (kind === 'cidr') return typeof cidr === 'string' ? { kind: 'addresses', cidr, ports } : null;
  const pattern = kind === 'dns' ? readPattern(written['pattern']) : null;
  return pattern === null ? null : { kind: 'names', target: { kind: 'dns', pattern, ports, protocol: 'tcp' } };
}

/** Whether a connection exists that both targets mean. */
export function overlaps(one: NameTarget, other: NameTarget): boolean {
  const shared = one.ports.some((a) => other.ports.some((b) => a.from <= b.to && b.from <= a.to));
  return shared && patternsMeet(one.pattern, other.pattern);
}

function patternsMeet(one: NamePattern, other: NamePattern): boolean {
  if (one.kind === 'exact' && other.kind === 'exact') return one.name === other.name;
  if (one.kind === 'wildcard' && other.kind === 'wildcard') return one.suffix === other.suffix;
  const [exact, wildcard] = one.kind === 'exact' ? [one, other] : [other, one];
  if (exact.kind !== 'exact' || wildcard.kind !== 'wildcard') return false;
  return exact.name.indexOf('.') > 0 && exact.name.slice(exact.name.indexOf('.') + 1) === wildcard.suffix;
}

function readPattern(value: JsonValue | undefined): NamePattern | null {
  if (!isJsonObject(value)) return null;
  const { kind, name, suffix } = value;
  if (kind === 'exact' && isName(name)) return { kind, name: name.toLowerCase() };
  if (kind === 'wildcard' && isName(suffix)) return { kind, suffix: suffix.toLowerCase() };
  return null;
}

function isName(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && nameProblem(value.toLowerCase()) === undefined;
}

function readPorts(value: JsonValue | undefined): PortRange[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const ranges = value.map((range) => {
    const { from, to } = isJsonObject(range) ? range : {};
    return typeof from === 'number' && typeof to === 'number' && from <= to ? { from, to } : null;
  });
  return ranges.includes(null) ? null : (ranges as PortRange[]);
}
