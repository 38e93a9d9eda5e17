import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../domain/errors.js';
import { BubblewrapProvider } from './bubblewrap/bubblewrap-provider.js';
import { findHost } from './bubblewrap/host.js';
import type { SandboxProvider, UidAllocator } from './provider.js';
import type { RuntimeSource } from './runtime.js';
import { stageRuntime } from './runtime.js';

export interface ProviderChoice extends RuntimeSource {
  /** Value of SERVICE_PROVIDER. */
  provider: string;
  dataDir: string;
  /** Used only when this process is root. */
  uids: UidAllocator;
}

const NOT_IN_THIS_VERSION = new Map([
  ['docker', 'Docker'],
  ['kubernetes', 'Kubernetes'],
  ['k8s', 'Kubernetes'],
]);

/**
 * The sandbox provider of this host, tried and with its runtime staged. `auto` is bubblewrap, the only one of this version.
 * @throws SandgateError `unavailable` saying what is missing: a provider that cannot isolate as promised does not start
 */
export async function chooseProvider(choice: ProviderChoice): Promise<SandboxProvider> {
  const absent = NOT_IN_THIS_VERSION.get(choice.provider);
  if (absent !== undefined) {
    throw new SandgateError('unavailable', `SERVICE_PROVIDER=${choice.provider}: the ${absent} provider is not available in this version; use auto or bubblewrap`);
  }
  if (choice.provider !== 'auto' && choice.provider !== 'bubblewrap') {
    throw new SandgateError('invalid_request', `SERVICE_PROVIDER=${choice.provider}: auto or bubblewrap is possible`);
  }
  if (process.platform !== 'linux') {
    throw new SandgateError('unavailable', `sandboxes need Linux in this version; this machine runs ${process.platform}`);
  }
  const host = await findHost();
  // Links on the way to the data folder are resolved once, here, so that later any link is one that should not be there.
  const dataDir = await realpath(choice.dataDir);
  const runtime = await stageRuntime(dataDir, choice);
  const provider = new BubblewrapProvider({ dataDir, host, runtime, uids: choice.uids });
  const report = await provider.check();
  if (!report.ok) throw new SandgateError('unavailable', `no sandbox can be given on this host: ${report.missing.join('; ')}`);
  return provider;
}
