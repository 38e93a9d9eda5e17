import type { JsonObject } from '../json.js';
import type { NameTarget } from './target.js';

/** A run without a network. */
export interface OfflineNetwork {
  schema_version: 1;
  mode: 'offline';
}

/** What a run may reach by name, frozen when it was created; presets are expanded (docs/design/network.md). */
export interface ApprovedNetwork {
  schema_version: 1;
  mode: 'approved';
  targets: NameTarget[];
  /** Targets of the policy that stay refused although `targets` cover them, as the policy writes them. */
  denied: JsonObject[];
  /** Variables of the presets that the run uses, for the tools that its agent runs. */
  variables: Record<string, string>;
  /** When it ends, ISO 8601. */
  expires_at: string;
  /** Digest of the policy that it was granted under: `sha256:` + 64 hex. */
  policy_digest: string;
}

export type FrozenNetwork = OfflineNetwork | ApprovedNetwork;
