import { mkdir, realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SandgateError } from '../../../domain/errors.js';
import type { Confine } from '../../host/confine.js';
import { planeDirectory } from '../../host/plane-socket-path.js';
import { pinnedProgramFolder } from '../../packages/harnesses/installed-program.js';
import { FolderWorkspaces } from '../../workspace/index.js';
import { BubblewrapProvider } from '../bubblewrap/bubblewrap-provider.js';
import { runConfined } from '../bubblewrap/confined.js';
import { findHost } from '../bubblewrap/host.js';
import { DockerProvider } from '../docker/docker-provider.js';
import { openCaches } from '../room/open-caches.js';
import { FolderLayers } from '../layers/folder-layers.js';
import { hostEnvironment } from '../layers/host-environment.js';
import { LocalRunHost } from '../local-run-host.js';
import type { Sandboxes, SandboxProvider } from '../provider.js';
import type { RunRooms, RunRoomsOptions } from '../room/run-rooms.js';
import { findRoomAbilities } from '../room/try-room.js';
import type { RuntimeSource } from '../runtime.js';
import { ordinaryNode, stageRuntime } from '../runtime.js';
import type { UidAllocator } from '../uid-allocator.js';
import { chooseConfine } from './choose-confine.js';
import { openEngine, planeAccess, type EngineConfig, type ListenerConfig } from './open-engine.js';

/** The members of the configuration that decide. */
interface ProviderConfig {
  data: { readonly dir: string };
  http: ListenerConfig;
  workspace: { readonly localCopyRoots: readonly string[] };
  sandbox: EngineConfig & {
    readonly provider: 'auto' | 'bubblewrap' | 'docker';
    readonly ca: string | null;
    readonly caches: Readonly<Record<string, string>>;
  };
}

/** Uids of this host, where this process is root. */
export interface HostUids extends UidAllocator {
  /** Of no run: it fetches repositories from code hosts. */
  readonly fetchUid: number;
}

/** What is the same for every provider of this host. */
interface HostParts {
  config: ProviderConfig;
  deployment: string;
  rooms: Omit<RunRoomsOptions, 'host'>;
}

/** A provider whose sandboxes mount folders of this host. */
type LocalProvider = SandboxProvider & { readonly rooms: RunRooms; systemName(ofRun: string): Promise<string> };

/** Where the build puts the runner, seen from the built form of this file. */
const BUILT_RUNTIME: RuntimeSource = {
  runnerBundle: fileURLToPath(new URL('../../../../runner/main.mjs', import.meta.url)),
};

/**
 * The sandbox provider of this host, tried and with its runtime staged: the one that the configuration names, else bubblewrap where it
 * works, else a container engine. In this folder alone a provider is named.
 * @param uids used only when this process is root
 * @param deployment tells the containers of this installation from those of others on the same engine
 * @throws SandgateError `unavailable` saying what is missing: a provider that cannot isolate as promised does not start
 */
export async function chooseProvider(
  config: ProviderConfig,
  uids: HostUids,
  deployment: string,
  source: RuntimeSource = BUILT_RUNTIME,
): Promise<Sandboxes> {
  if (process.platform !== 'linux') {
    throw new SandgateError(
      'unavailable',
      `sandboxes need Linux in this version; this machine runs ${process.platform}`,
    );
  }
  // Links on the way to the data folder are resolved once, here; any link found later is an attack.
  await mkdir(config.data.dir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(config.data.dir);
  const rooms = {
    dataDir,
    runtime: await stageRuntime(dataDir, { ...source, certificates: config.sandbox.ca }),
    uids,
    caches: await openCaches(config.sandbox.caches, dataDir),
    programOf: (harness: string) => pinnedProgramFolder(dataDir, harness),
    planeOf: (runId: string) => planeDirectory(dataDir, runId),
  };
  const parts = { config, deployment, rooms };
  const provider = await firstThatWorks(parts);
  const confine = await confineBeside(provider, parts);
  const { localCopyRoots: roots } = config.workspace;
  const workspaces = new FolderWorkspaces({
    dataDir,
    folders: provider.rooms,
    confine,
    roots,
    fetchUid: uids.fetchUid,
  });
  const runHost = new LocalRunHost(dataDir);
  if (!provider.rooms.keepsSetups) return { provider, workspaces, runHost };
  const environment = async (image: string) => hostEnvironment(await provider.systemName(image), rooms.runtime.version);
  return {
    provider,
    workspaces,
    runHost,
    layers: new FolderLayers({ dataDir, folders: provider.rooms, confine, environment }),
  };
}

async function firstThatWorks(parts: HostParts): Promise<LocalProvider> {
  const { provider: wanted } = parts.config.sandbox;
  const problems: string[] = [];
  for (const name of wanted === 'auto' ? (['bubblewrap', 'docker'] as const) : [wanted]) {
    try {
      const provider = await MAKERS[name](parts);
      const report = await provider.check();
      if (report.ok) return provider;
      problems.push(`${name}: ${report.missing.join('; ')}`);
    } catch (error) {
      if (!(error instanceof SandgateError)) throw error;
      problems.push(`${name}: ${error.message}`);
    }
  }
  throw new SandgateError('unavailable', `no sandbox can be given on this host: ${problems.join('; ')}`);
}

/** A provider that is bubblewrap has been tried already. */
function confineBeside(provider: LocalProvider, { config, deployment, rooms }: HostParts): Promise<Confine> {
  if (provider.name === 'bubblewrap') return Promise.resolve(runConfined);
  const { dataDir, runtime } = rooms;
  return chooseConfine({ sandbox: config.sandbox, dataDir, deployment, node: ordinaryNode(runtime) });
}

const MAKERS = {
  bubblewrap: async ({ rooms }: HostParts): Promise<LocalProvider> =>
    new BubblewrapProvider({ ...rooms, host: await findHost() }),
  docker: async ({ config, deployment, rooms }: HostParts): Promise<LocalProvider> => {
    const engine = await openEngine(config.sandbox);
    const { dockerRuntime: engineRuntime, image } = config.sandbox;
    return new DockerProvider({
      ...rooms,
      host: findRoomAbilities(),
      engine,
      image,
      engineRuntime,
      deployment,
      plane: planeAccess(config.sandbox, config.http),
    });
  },
};
