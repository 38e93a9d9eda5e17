import type { JsonObject } from '../json.js';

/** How much of the network a run may reach, from the least on. */
export const NETWORK_MODES = ['offline', 'approved', 'public'] as const;

export type NetworkMode = (typeof NETWORK_MODES)[number];

/** What runs under a policy may ask of the network. Targets are kept as written. */
export interface NetworkCap {
  max_mode: NetworkMode;
  /** What may be asked for; empty is no limit. */
  allow: JsonObject[];
  deny: JsonObject[];
  require_approval: boolean;
  allow_public_with_brokered: boolean;
  /** Null stands for 3600. */
  max_grant_secs: number | null;
}

export const OFFLINE_CAP: Readonly<NetworkCap> = {
  max_mode: 'offline',
  allow: [],
  deny: [],
  require_approval: false,
  allow_public_with_brokered: false,
  max_grant_secs: null,
};

/** What `max_grant_secs: null` stands for. */
export const DEFAULT_GRANT_SECS = 3600;
