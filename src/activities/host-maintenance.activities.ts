import { readdir, rm } from 'node:fs/promises';
import { isTerminal, parseRunStatus } from '../domain/run/status.js';
import type { Database } from '../core/record/database.js';
import { findRuns } from '../core/maintenance/sweeps.js';
import { isMissing } from '../domain/system-error.js';
import { planeDirectory, planeRoot } from '../platform/host/plane-socket-path.js';
import type { SandboxProvider } from '../platform/sandbox/provider.js';
import { reapOrphans, type RunClaim } from '../platform/sandbox/reap-orphans.js';
import { removeBaseline } from '../platform/workspace/index.js';
import { baselineFolder, baselineRoot } from './baseline-folder.js';
import { whileHeartbeating } from './heartbeat.js';
import type { HostMaintenanceActivities } from './run-activities.js';

export interface HostMaintenanceDependencies {
  database: Database;
  dataDir: string;
  provider: SandboxProvider;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

const RUN_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

export function createHostMaintenanceActivities(on: HostMaintenanceDependencies): HostMaintenanceActivities {
  return { reapOrphans: () => whileHeartbeating(() => reapHostOrphans(on)) };
}

/**
 * Ends and removes what this host still has of runs that are over or unknown; at boot and by maintenance. A terminal run whose
 * cleanup is under way is cleaned twice without harm.
 *
 * @returns how many runs were reaped
 */
export async function reapHostOrphans(on: HostMaintenanceDependencies): Promise<number> {
  const { released, failed } = await reapOrphans(on.provider, (runId) => claimOf(on.database, runId));
  await removeBelongings(on);
  if (released.length > 0) on.log.warn({ runs: released }, 'removed sandboxes whose run was over');
  if (failed.length > 0) on.log.warn({ failed }, 'sandboxes could not be removed; trying again');
  return released.length;
}

/** The baselines and plane directories of runs that ended while this host was away, which no release will ever name. */
async function removeBelongings({ database, dataDir }: HostMaintenanceDependencies): Promise<void> {
  const remains = new Set([...(await namesIn(planeRoot(dataDir))), ...(await namesIn(baselineRoot(dataDir)))]);
  for (const runId of remains) {
    if ((await claimOf(database, runId)) !== 'unwanted') continue;
    await removeBaseline(baselineFolder(dataDir, runId));
    await rm(planeDirectory(dataDir, runId), { recursive: true, force: true });
  }
}

/** Ids of the runs that have something in this folder, whatever is appended to them. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).flatMap((name) => RUN_ID.exec(name)?.[0] ?? []);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A status of a newer deployment is never taken for an end. */
async function claimOf(database: Database, runId: string): Promise<RunClaim> {
  const [run] = await findRuns(database.pool, [runId]);
  if (run === undefined) return 'unwanted';
  const status = parseRunStatus(run.status);
  if (status === undefined) return 'unknown';
  return isTerminal(status) ? 'unwanted' : 'wanted';
}
