import { lookup } from 'node:dns/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PresetName } from '../../../src/domain/network/presets.js';
import { learnPresets } from '../../../src/embedded/presets/learn-presets.js';

/** The registries that the clients of this machine use, as settings of an installation. */
export interface Registries {
  settings: NodeJS.ProcessEnv;
  /** `host:port`s by preset. */
  targets: Partial<Record<PresetName, string[]>>;
}

/**
 * Learns them as `sandgate network learn-presets` does. Where the registries of a machine are inside its network, their addresses have to be
 * allowed, too.
 *
 * @param folder where the file of presets is written
 */
export async function learnRegistries(folder: string, presets: readonly PresetName[]): Promise<Registries> {
  const learned: Registries['targets'] = {};
  const content: Record<string, object> = {};
  for (const one of await learnPresets(process.env, presets)) {
    if ('problem' in one) throw new Error(`no registry for ${one.preset}: ${one.problem}`);
    learned[one.preset] = one.targets;
    content[one.preset] = { targets: one.targets, variables: one.variables };
  }
  const file = join(folder, 'network-presets.yaml');
  writeFileSync(file, JSON.stringify({ presets: content }));
  const hosts = new Set(
    Object.values(learned).flatMap((targets) => targets.map((target) => target.split(':')[0] ?? '')),
  );
  const found = await Promise.all([...hosts].map((host) => lookup(host, { all: true })));
  const networks = found.flat().map(({ address, family }) => `${address}/${family === 4 ? 32 : 128}`);
  return {
    settings: { SERVICE_NETWORK_PRESETS: file, SERVICE_EGRESS_ALLOW_CIDRS: [...new Set(networks)].join(',') },
    targets: learned,
  };
}
