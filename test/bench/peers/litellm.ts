import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayPeer } from './gateway-peer.js';
import type { InstalledPeers } from './installed-peers.js';

/** LiteLLM's proxy with one model and neither database nor keys, which is the least that it can do for a request. */
export function litellm({ program, version }: InstalledPeers['litellm']): GatewayPeer {
  return {
    name: `litellm ${version}`,
    times: 5,
    keeps: 'without a database it keeps no budget and no record',
    command: ({ own, provider }, folder) => {
      const config = join(folder, 'config.yaml');
      writeFileSync(config, JSON.stringify(settings(provider)));
      const argv = ['--config', config, '--host', '127.0.0.1', '--port', String(own), '--telemetry', 'False'];
      return { program, argv };
    },
    env: { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR', LITELLM_MODE: 'PRODUCTION' },
    headers: () => [],
  };
}

/** JSON is YAML. */
function settings(providerPort: number): object {
  const model = 'claude-haiku-4-5';
  const upstream = {
    model: `anthropic/${model}`,
    api_key: 'bench',
    api_base: `http://127.0.0.1:${providerPort}`,
  };
  return { model_list: [{ model_name: model, litellm_params: upstream }], litellm_settings: { num_retries: 0 } };
}
