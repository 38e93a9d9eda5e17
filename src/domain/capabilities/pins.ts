import { SandgateError } from '../errors.js';
import type { BundlePin, BundleVersion } from './bundle.js';

/** `name` (newest version now) or `name@N`, as a revision asks for it. `version` null is the newest. */
export interface BundleRef {
  text: string;
  name: string;
  version: number | null;
}

const INT32_MAX = 2_147_483_647;

/**
 * Reads the references of a revision, each split at its first `@` (docs/design/tools.md).
 * @throws SandgateError `invalid_request` for a version that is no integer, or a bundle that is named twice
 */
export function parseBundleRefs(texts: readonly string[]): BundleRef[] {
  const refs = texts.map(parseRef);
  const names = new Set<string>();
  for (const { name } of refs) {
    if (names.has(name)) throw refusal(`bundle ${name} is named twice`);
    names.add(name);
  }
  return refs;
}

function parseRef(text: string): BundleRef {
  const at = text.indexOf('@');
  if (at < 0) return { text, name: text.trim(), version: null };
  const version = text.slice(at + 1).trim();
  if (!/^-?[0-9]+$/.test(version)) throw refusal(`${text}: the version after @ must be an integer`);
  // A number too large for the column names no version, just like one that was never published.
  return { text, name: text.slice(0, at).trim(), version: Math.abs(Number(version)) > INT32_MAX ? 0 : Number(version) };
}

/**
 * The pins of a revision in the order of its references. `find` answers the version of a reference, or null.
 * @throws SandgateError `invalid_request` for an unknown bundle or version, and for a server name that two bundles share
 */
export async function resolvePins(
  refs: readonly BundleRef[],
  find: (ref: BundleRef) => Promise<BundleVersion | null>,
): Promise<BundlePin[]> {
  const bundles: BundleVersion[] = [];
  for (const ref of refs) {
    const bundle = await find(ref);
    if (bundle === null) throw refusal(`unknown bundle ${ref.text.trim()}`);
    bundles.push(bundle);
  }
  const shared = findSharedServer(bundles);
  if (shared !== null) {
    throw refusal(`server name ${shared.server} is in bundle ${shared.first} and in bundle ${shared.second}`);
  }
  return bundles.map(({ id, name, version }) => ({ id, name, version }));
}

/** The first server name that two bundles have, or null: a call must name one server. */
export function findSharedServer(
  bundles: readonly BundleVersion[],
): { server: string; first: string; second: string } | null {
  const owners = new Map<string, string>();
  for (const bundle of bundles) {
    for (const { name: server } of bundle.definition.servers) {
      const first = owners.get(server);
      if (first !== undefined) return { server, first, second: bundle.name };
      owners.set(server, bundle.name);
    }
  }
  return null;
}

function refusal(reason: string): SandgateError {
  return new SandgateError('invalid_request', `capability_bundles: ${reason}`);
}
