/** Ports of a target, both ends included. */
export interface PortRange {
  from: number;
  to: number;
}

/** The name of one host, or every name of one label more than a suffix. */
export type NamePattern = { kind: 'exact'; name: string } | { kind: 'wildcard'; suffix: string };

/** What a run may reach: names at ports, over TCP. Names are in lower case. */
export interface NameTarget {
  kind: 'dns';
  pattern: NamePattern;
  ports: PortRange[];
  protocol: 'tcp';
}

const MAX_NAME = 253;
const MAX_PORT = 65_535;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** A last label of digits alone, or of a hexadecimal number, makes of the whole name an address to whoever dials it. */
const OF_AN_ADDRESS = /^(\d+|0x[0-9a-f]*)$/;

/**
 * Reads the short form of a target, `host:port` or `*.suffix:port`.
 *
 * @returns the target, or what is wrong with the text, as the end of a sentence that names it
 */
export function parseTarget(text: string): NameTarget | string {
  const [, host = '', digits = ''] = /^([^:/@?#\s]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === '') return 'must be host:port or *.suffix:port, such as registry.example.com:443';
  const port = Number(digits);
  if (port < 1 || port > MAX_PORT) return `must have a port from 1 to ${MAX_PORT}`;
  const pattern = parsePattern(host.toLowerCase());
  if (typeof pattern === 'string') return pattern;
  return { kind: 'dns', pattern, ports: [{ from: port, to: port }], protocol: 'tcp' };
}

function parsePattern(host: string): NamePattern | string {
  if (!host.startsWith('*.')) return nameProblem(host) ?? { kind: 'exact', name: host };
  const suffix = host.slice('*.'.length);
  if (suffix.split('.').length < 2) return 'must have a suffix of two labels or more after *.';
  return nameProblem(suffix) ?? { kind: 'wildcard', suffix };
}

/** Why a text in lower case is not the name of a host; undefined for one that is. */
export function nameProblem(name: string): string | undefined {
  const labels = name.split('.');
  if (OF_AN_ADDRESS.test(labels.at(-1) ?? '')) return 'must be a name; connections to addresses are not possible';
  // eslint-disable-next-line no-control-regex -- everything beyond ASCII
  if (/[^\x00-\x7f]/.test(name)) return 'must be in ASCII; an international name is written as xn--…';
  if (name.length > MAX_NAME || !labels.every((label) => LABEL.test(label)))
    return 'must be the name of a host: labels of letters, digits and hyphens, and * only as a whole first label';
  return undefined;
}

/** The short form; a target of several ports has one for each range, as `host:8000-8010`. */
export function describeTarget({ pattern, ports }: NameTarget): string {
  const host = pattern.kind === 'exact' ? pattern.name : `*.${pattern.suffix}`;
  return ports.map(({ from, to }) => `${host}:${from === to ? from : `${from}-${to}`}`).join(', ');
}

/** Whether a connection to that name, in lower case, and port is one that the target means. */
export function reaches(target: NameTarget, name: string, port: number): boolean {
  return target.ports.some(({ from, to }) => from <= port && port <= to) && namesHost(target.pattern, name);
}

/** Whether every connection that `asked` means is one that some of `granted` mean. */
export function isCovered(asked: NameTarget, granted: readonly NameTarget[]): boolean {
  const wide = granted.filter(({ pattern }) => isWithin(asked.pattern, pattern)).flatMap(({ ports }) => ports);
  return asked.ports.every((range) => isFilled(range, wide));
}

function isWithin(asked: NamePattern, granted: NamePattern): boolean {
  if (asked.kind === 'exact') return namesHost(granted, asked.name);
  return granted.kind === 'wildcard' && granted.suffix === asked.suffix;
}

function namesHost(pattern: NamePattern, name: string): boolean {
  if (pattern.kind === 'exact') return pattern.name === name;
  const dot = name.indexOf('.');
  return dot > 0 && name.slice(dot + 1) === pattern.suffix;
}

/** Whether ranges, which may overlap or touch, leave no port of `range` out. */
function isFilled(range: PortRange, ranges: readonly PortRange[]): boolean {
  let next = range.from;
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    if (from > next) break;
    next = Math.max(next, to + 1);
  }
  return next > range.to;
}
