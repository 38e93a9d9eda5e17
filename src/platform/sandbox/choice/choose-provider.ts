import { mkdir, realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SandgateError } from '../../../domain/errors.js';
import { planeDirectory } from '../../host/plane-socket-path.js';
import { pinnedProgramFolder } from '../../packages/harnesses/installed-program.js';
import { FolderWorkspaces } from '../../workspace/index.js';
import { BubblewrapProvider } from '../bubblewrap/bubblewrap-provider.js';
import { findHost } from '../bubblewrap/host.js';
import { LocalRunHost } from '../local-run-host.js';
import type { Sandboxes } from '../provider.js';
import type { RuntimeSource } from '../runtime.js';
import { stageRuntime } from '../runtime.js';
import type { UidAllocator } from '../uid-allocator.js';
import { confine } from './confine.js';

/** The members of the configuration that decide. */
interface ProviderConfig {
  data: { readonly dir: string };
  workspace: { readonly localCopyRoots: readonly string[] };
}

/** Uids of this host, where this process is root. */
export interface HostUids extends UidAllocator {
  /** Of no run: it fetches repositories from code hosts. */
  readonly fetchUid: number;
}

/** Where the build puts the runner, seen from the built form of this file. */
const BUILT_RUNTIME: RuntimeSource = {
  runnerBundle: fileURLToPath(new URL('../../../../runner/main.mjs', import.meta.url)),
};

/**
 * The sandbox provider of this host, tried and with its runtime staged. It is bubblewrap, the only one of this version. Here alone a
 * provider is named.
 * @param uids used only when this process is root
 * @throws SandgateError `unavailable` saying what is missing: a provider that cannot isolate as promised does not start
 */
export async function chooseProvider(
  config: ProviderConfig,
  uids: HostUids,
  source: RuntimeSource = BUILT_RUNTIME,
): Promise<Sandboxes> {
  if (process.platform !== 'linux') {
    throw new SandgateError(
      'unavailable',
      `sandboxes need Linux in this version; this machine runs ${process.platform}`,
    );
  }
  const host = await findHost();
  // Links on the way to the data folder are resolved once, here; any link found later is an attack.
  await mkdir(config.data.dir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(config.data.dir);
  const runtime = await stageRuntime(dataDir, source);
  const provider = new BubblewrapProvider({
    dataDir,
    host,
    runtime,
    uids,
    programOf: (harness) => pinnedProgramFolder(dataDir, harness),
    planeOf: (runId) => planeDirectory(dataDir, runId),
  });
  const report = await provider.check();
  if (!report.ok)
    throw new SandgateError('unavailable', `no sandbox can be given on this host: ${report.missing.join('; ')}`);
  const { localCopyRoots: roots } = config.workspace;
  const workspaces = new FolderWorkspaces({ dataDir, folders: provider, confine, roots, fetchUid: uids.fetchUid });
  return { provider, workspaces, runHost: new LocalRunHost(dataDir) };
}
