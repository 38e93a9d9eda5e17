import { SANDBOX_NETWORK } from '../../domain/network/enforcement.js';
import type { NetworkSources } from '../../domain/creation/freeze-network.js';
import { NetworkRefused } from '../../domain/network/refusal.js';
import { readNetworkRequest, type NetworkInput, type NetworkRequest } from '../../domain/network/request.js';
import { type Metrics } from '../metrics/metrics.js';
import { type NetworkPresets } from '../network/network-presets.js';
import type { TenantTransaction } from '../record/database.js';
import { type GuardedClient } from '../../platform/egress/guarded-client.js';

/** What the network of a new run is resolved from. */
export class RunNetwork {
  constructor(
    private readonly presets: NetworkPresets,
    private readonly egress: GuardedClient,
    private readonly metrics: Metrics,
  ) {}

  async sources(
    tx: TenantTransaction,
    agent: NetworkRequest | null,
    run: NetworkInput | null | undefined,
  ): Promise<NetworkSources> {
    return {
      agent,
      run: run ? readNetworkRequest(run) : null,
      presets: await this.presets.of(tx),
      whyBlocked: (name) => this.egress.admitUrl(`https://${name}/`),
      enforceable: SANDBOX_NETWORK.supports_egress_grants,
      now: new Date(),
    };
  }

  /** Does the work, and counts a refusal of the network by it. */
  countRefusal<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof NetworkRefused) this.metrics.networkGrantRefused(error.reason);
      throw error;
    }
  }
}
