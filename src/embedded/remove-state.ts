import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureHostId, loadConfig } from '../platform/config/index.js';
import { planeRoot } from '../platform/host/plane-socket-path.js';
import { chooseProvider, type HostUids } from '../platform/sandbox/choice/choose-provider.js';
import { LayerFiles, type ClearedLayers } from '../platform/sandbox/layers/layer-files.js';
import { listRuns, RunFolder } from '../platform/sandbox/room/run-folder.js';
import { killPostgresLeftovers } from './postgres-processes.js';
import { locate } from './state-folder.js';
import { StateLock } from './state-lock.js';

/** Releasing needs no new uid, and a removed folder keeps no table of them. Nothing is fetched. */
const NO_UIDS: HostUids = {
  claim: () => Promise.reject(new Error('no sandbox is started while a state folder is removed')),
  release: () => Promise.resolve(),
  fetchUid: -1,
};

/**
 * Removes a state folder with everything in it: database, history, keys, workspaces. Live sandboxes of it are ended first.
 * Throws `StartRefused` while a supervisor holds the folder.
 *
 * @returns runs of which something was still there
 */
export async function removeState(dir: string): Promise<string[]> {
  if (!looksLikeState(dir)) throw new Error(`${dir} is not a state folder of Sandgate`);
  const folder = locate(dir);
  const lock = StateLock.acquire(folder.lock);
  try {
    if (existsSync(folder.postgresData)) await killPostgresLeftovers(folder.postgresData, 10_000);
    const released = await releaseSandboxes(dir);
    rmSync(planeRoot(dir), { recursive: true, force: true });
    rmSync(dir, { recursive: true, force: true });
    return released;
  } finally {
    lock.release();
  }
}

/**
 * Deletes what setup commands made for later runs (docs/design/setup.md), except what runs are based on; the server of the folder may run
 * meanwhile.
 */
export function clearSetups(dir: string): Promise<ClearedLayers> {
  if (existsSync(dir) && !looksLikeState(dir)) throw new Error(`${dir} is not a state folder of Sandgate`);
  const runs = { layerPlaces: (runId: string) => new RunFolder(dir, runId), list: () => listRuns(dir) };
  return new LayerFiles(dir, runs).clear();
}

/** A wrong path must not delete anybody's files. */
function looksLikeState(dir: string): boolean {
  const names = readdirSync(dir);
  return names.length === 0 || names.some((name) => ['supervisor.json', 'admin-token', 'host-id'].includes(name));
}

/** Mounted workspaces must be unmounted by the user who mounted them before their folders can be removed. */
async function releaseSandboxes(dir: string): Promise<string[]> {
  if (!existsSync(join(dir, 'runs'))) return [];
  const config = loadConfig({ ...process.env, SERVICE_DATA_DIR: dir });
  const { provider } = await chooseProvider(config, NO_UIDS, ensureHostId(config));
  const runs = await provider.listRemains();
  for (const run of runs) await provider.release(run);
  return runs;
}
