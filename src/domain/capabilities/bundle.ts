import { digestOf } from '../digest/digest.js';
import type { ExactJson } from '../digest/exact-json.js';
import type { FrozenServer } from '../run/spec.js';

export const IDENTITY_MEMBERS = ['name', 'version', 'registry_type', 'identifier', 'digest'] as const;

/** Where a server came from. For display only. */
export type ServerIdentity = Partial<Record<(typeof IDENTITY_MEMBERS)[number], string>>;

/** A server as a bundle stores it. */
export interface BundleServer extends FrozenServer {
  identity?: ServerIdentity;
}

/** One version of a bundle, as far as pins and runs need it. */
export interface BundleVersion {
  id: string;
  name: string;
  version: number;
  definition: { servers: BundleServer[] };
  definition_digest: string;
}

/** What a revision keeps of a bundle; a pin never floats. */
export interface BundlePin {
  id: string;
  name: string;
  version: number;
}

/** `sha256:` + 64 hex over the canonical form of `{servers}` as stored (docs/design/tools.md). */
export function definitionDigest(servers: readonly BundleServer[]): string {
  return digestOf({ servers } as unknown as ExactJson);
}
