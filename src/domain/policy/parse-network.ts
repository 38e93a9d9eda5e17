import type { ExactJson } from '../digest/exact-json.js';
import { isExactObject, isRawNumber } from '../digest/exact-json.js';
import type { JsonObject, JsonValue } from '../json.js';
import { SandgateError } from '../errors.js';
import { NETWORK_MODES, OFFLINE_CAP, type NetworkCap } from '../network/network-cap.js';
import { nameProblem } from '../network/target.js';
import { DocumentReader } from './document-reader.js';

const NETWORK_KEYS = ['max_mode', 'allow', 'deny', 'require_approval', 'allow_public_with_brokered', 'max_grant_secs'];
const MAX_TARGETS = 256;

/** The network section of a policy. */
export function readNetworkCap(reader: DocumentReader, value: ExactJson): NetworkCap {
  const network = reader.object(value, 'network', NETWORK_KEYS) ?? {};
  return {
    max_mode: reader.choice(network['max_mode'], 'network.max_mode', NETWORK_MODES) ?? 'offline',
    allow: readTargets(reader, network['allow'], 'network.allow'),
    deny: readTargets(reader, network['deny'], 'network.deny'),
    require_approval: reader.boolean(network['require_approval'], 'network.require_approval', false),
    allow_public_with_brokered: reader.boolean(
      network['allow_public_with_brokered'],
      'network.allow_public_with_brokered',
      false,
    ),
    max_grant_secs: reader.integer(network['max_grant_secs'] ?? undefined, 'network.max_grant_secs', 0),
  };
}

/**
 * The network section of stored content, read leniently; without one nothing is allowed.
 * @throws SandgateError `internal` when it cannot be read: it must not grant anything
 */
export function storedNetworkCap(content: JsonObject): NetworkCap {
  if (content['network'] === undefined) return { ...OFFLINE_CAP };
  const reader = new DocumentReader(false);
  const cap = readNetworkCap(reader, content['network']);
  if (reader.errors.length === 0) return cap;
  throw new SandgateError('internal', `the stored policy cannot be read: ${reader.errors.join('; ')}`);
}

function readTargets(reader: DocumentReader, value: ExactJson | undefined, at: string): JsonObject[] {
  return reader.array(value, at, 'targets', MAX_TARGETS).map((target, i) => {
    if (!isExactObject(target)) {
      reader.fail(`\`${at}[${i}]\` must be an object`);
      return {};
    }
    if (reader.strict) checkTarget(reader, target, `${at}[${i}]`);
    return plainNumbers(target) as JsonObject;
  });
}

/** Targets are kept as written, but a number in them is stored as a plain number. */
function plainNumbers(value: ExactJson): JsonValue {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (!isExactObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plainNumbers(member)]));
}

function checkTarget(reader: DocumentReader, target: { [key: string]: ExactJson }, at: string): void {
  const kind = reader.choice(target['kind'], `${at}.kind`, ['dns', 'cidr']);
  reader.object(target, at, ['kind', kind === 'cidr' ? 'cidr' : 'pattern', 'protocol', 'ports']);
  if (target['kind'] === undefined) reader.fail(`\`${at}.kind\` is required`);
  if (kind === 'cidr' && typeof target['cidr'] !== 'string') reader.fail(`\`${at}.cidr\` must be a string`);
  if (kind === 'dns') checkPattern(reader, target['pattern'], `${at}.pattern`);
  const protocol = target['protocol'];
  if (protocol !== 'tcp' && protocol !== 'udp') reader.fail(`\`${at}.protocol\` must be one of tcp, udp`);
  checkPorts(reader, target['ports'], `${at}.ports`);
}

function checkPattern(reader: DocumentReader, value: ExactJson | undefined, at: string): void {
  const pattern = isExactObject(value) ? value : {};
  const kind = reader.choice(pattern['kind'], `${at}.kind`, ['exact', 'wildcard']);
  reader.object(pattern, at, ['kind', kind === 'wildcard' ? 'suffix' : 'name']);
  if (kind === null) {
    reader.fail(`\`${at}\` needs a kind of exact or wildcard`);
  } else if (kind === 'exact') {
    checkName(reader, pattern['name'], `${at}.name`);
  } else if (typeof pattern['suffix'] !== 'string' || pattern['suffix'].split('.').filter(Boolean).length < 2) {
    reader.fail(`\`${at}.suffix\` must be a name of two labels or more`);
  } else {
    checkName(reader, pattern['suffix'], `${at}.suffix`);
  }
}

/** A name that no host can have would deny nothing. */
function checkName(reader: DocumentReader, value: ExactJson | undefined, at: string): void {
  const problem = typeof value === 'string' ? nameProblem(value.toLowerCase()) : 'must be a string';
  if (problem !== undefined) reader.fail(`\`${at}\` ${problem}`);
}

function checkPorts(reader: DocumentReader, value: ExactJson | undefined, at: string): void {
  if (!Array.isArray(value) || value.length === 0) {
    reader.fail(`\`${at}\` must be an array of at least one range`);
    return;
  }
  value.forEach((entry, i) => {
    const range = reader.object(entry, `${at}[${i}]`, ['from', 'to']) ?? {};
    const { from, to } = range;
    const ordered = isPort(from) && isPort(to) && from <= to;
    if (!ordered) reader.fail(`\`${at}[${i}]\` must have from and to between 1 and 65535, in order`);
  });
}

function isPort(value: ExactJson | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}
