import { PriceList } from '../../domain/prices/price-list.js';
import type { SandgateConfig } from '../../platform/config/index.js';
import { readPresets } from '../../platform/config/read-presets.js';
import type { GuardedClient } from '../../platform/egress/guarded-client.js';
import type { Tracing } from '../../platform/telemetry/tracing.js';
import { HarnessAvailability } from '../harnesses/harness-availability.js';
import { HarnessCatalog } from '../harnesses/harness-catalog.js';
import type { Metrics } from '../metrics/metrics.js';
import { NetworkPresets } from '../network/network-presets.js';
import { RunCreation } from './run-creation.js';
import { RunNetwork } from './run-network.js';

/** What creates runs in one process, and what agents are checked against that runs will need. */
export interface CreationServices {
  runs: RunCreation;
  catalog: HarnessCatalog;
  availability: HarnessAvailability;
  prices: PriceList;
  presets: NetworkPresets;
}

/** @param modelKeys as for {@link HarnessAvailability} */
export function createRunCreation(
  config: SandgateConfig,
  on: { egress: GuardedClient; metrics: Metrics; tracing: Tracing },
  modelKeys?: 'elsewhere',
): CreationServices {
  const presets = new NetworkPresets(readPresets(config.network.presetsFile));
  const catalog = new HarnessCatalog(config);
  const availability = new HarnessAvailability(config, modelKeys);
  const prices = new PriceList(config.llm.prices);
  const network = new RunNetwork(presets, on.egress, on.metrics);
  const runs = new RunCreation({ ...on, config, catalog, availability, prices, network });
  return { runs, catalog, availability, prices, presets };
}
