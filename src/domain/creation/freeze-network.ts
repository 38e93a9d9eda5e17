import { digestOf } from '../digest/digest.js';
import type { JsonObject } from '../json.js';
import type { FrozenNetwork } from '../network/grant.js';
import type { Presets } from '../network/presets.js';
import { narrowNetwork, type NetworkRequest } from '../network/request.js';
import { needsAuthorization, resolveGrant, type GrantSources } from '../network/resolve-grant.js';
import { storedNetworkCap } from '../policy/parse-network.js';
import { parsePolicyLenient } from '../policy/parse-policy.js';
import type { RunSpec } from '../run/spec.js';

/** What the network of a run is made from, beside its policy. */
export interface NetworkSources extends Pick<GrantSources, 'whyBlocked' | 'enforceable' | 'now'> {
  agent: NetworkRequest | null;
  /** What the request of the run says; null when it says nothing. */
  run: NetworkRequest | null;
  presets: Presets;
}

/**
 * Resolves and freezes the network of a run. Work on a stranger's code gets none, whatever its agent asks for (CP-318).
 * @throws SandgateError `invalid_request`, of which `NetworkRefused` has a reason of its own
 */
export function freezeNetwork(
  { agent, run, ...sources }: NetworkSources,
  of: { trustTier: RunSpec['trust_tier']; policy: JsonObject; hasBrokered: boolean; wallClockSecs: number | null },
): FrozenNetwork {
  const request = narrowNetwork(agent, run, sources.presets);
  const cap = storedNetworkCap(of.policy);
  return resolveGrant({
    ...sources,
    request: of.trustTier === 'read_only' ? { mode: 'offline' } : request,
    cap,
    policyDigest: digestOf(of.policy),
    hasBrokered: of.hasBrokered,
    wallClockSecs: of.wallClockSecs,
    questionTtlSecs: cap.require_approval ? parsePolicyLenient(of.policy).approvals.default_ttl_secs : 0,
  });
}

/** Whether the run waits for a person to authorize its network before it begins. */
export function awaitsAuthorization({ network, policy_snapshot }: RunSpec): boolean {
  return needsAuthorization(network, storedNetworkCap(policy_snapshot as JsonObject));
}
