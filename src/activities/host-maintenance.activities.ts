import { isTerminal, parseRunStatus } from '../domain/run/status.js';
import { isUuid } from '../domain/uuid.js';
import type { Database } from '../core/record/database.js';
import { findRuns } from '../core/maintenance/sweeps.js';
import { findWantedUploads } from '../core/uploads/uploads.js';
import type { Sandboxes } from '../platform/sandbox/provider.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import { tidyLayers, type LayerUpkeepDependencies } from './layer-upkeep.js';
import type { HostMaintenanceActivities } from './run-activities.js';

export interface HostMaintenanceDependencies extends Sandboxes {
  database: Database;
  log: { warn(fields: Record<string, unknown>, message: string): void };
  /** Age from which a packed workspace that the end of its run left behind is deleted. */
  archiveTtlSecs: number;
  /** What this host keeps of setups, and how much of it. */
  upkeep?: Pick<LayerUpkeepDependencies, 'layers' | 'hostId' | 'maxBytes'>;
}

export function createHostMaintenanceActivities(on: HostMaintenanceDependencies): HostMaintenanceActivities {
  return {
    reapOrphans: () =>
      whileHeartbeating(async () => {
        const reaped = await reapHostOrphans(on);
        if (on.upkeep !== undefined) await tidyLayers({ database: on.database, ...on.upkeep });
        return reaped;
      }),
  };
}

/** Whether the database still needs what is on this host. `unknown` (an unreadable row, for one) leaves everything as it is. */
type RunClaim = 'wanted' | 'unwanted' | 'unknown';

interface ReapReport {
  /** Runs whose sandbox, folders, mounts, cgroups and uid were removed. */
  released: string[];
  /** Runs whose sandbox could not be removed, with the reason; they are tried again next time. */
  failed: { runId: string; reason: string }[];
}

/**
 * Ends and removes what this host still has of runs that are over or unknown; at boot and by maintenance. A terminal run whose
 * cleanup is under way is cleaned twice without harm.
 *
 * @returns how many runs were reaped
 */
export async function reapHostOrphans(on: HostMaintenanceDependencies): Promise<number> {
  const { released, failed } = await reapRemains(on, (runId) => claimOf(on.database, runId));
  if (released.length > 0) on.log.warn({ runs: released }, 'removed sandboxes whose run was over');
  if (failed.length > 0) on.log.warn({ failed }, 'sandboxes could not be removed; trying again');
  await removeUnwantedUploads(on);
  await removeUnwantedArchives(on);
  return released.length;
}

/**
 * Removes what runs left on this host, and what is kept beside their sandboxes and no release will ever name, where the record does
 * not know them or has ended them (docs/design/sandbox.md). A sandbox that cannot be removed stops nothing else: its run's plane is
 * closed all the same. Safe to run at any time, and twice at once.
 */
export async function reapRemains(
  { provider, workspaces, runHost }: Sandboxes,
  claimOf: (runId: string) => Promise<RunClaim>,
): Promise<ReapReport> {
  const report: ReapReport = { released: [], failed: [] };
  for (const runId of await provider.listRemains()) {
    if ((await claimOf(runId)) !== 'unwanted') continue;
    try {
      await provider.release(runId);
      report.released.push(runId);
    } catch (error) {
      report.failed.push({ runId, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  for (const runId of new Set([...(await runHost.listPlanes()), ...(await workspaces.listKept())])) {
    if ((await claimOf(runId)) !== 'unwanted') continue;
    await workspaces.forget(runId);
    await runHost.closePlane(runId);
  }
  return report;
}

/** Files that expired before a run used them, or whose run is over. */
async function removeUnwantedUploads({ database, workspaces }: HostMaintenanceDependencies): Promise<void> {
  const kept = await workspaces.listUploads();
  if (kept.length === 0) return;
  const wanted = await findWantedUploads(database.pool, kept);
  for (const id of kept) if (!wanted.has(id)) await workspaces.removeUpload(id);
}

/** Normally the end of a run has done it. */
async function removeUnwantedArchives({
  database,
  workspaces,
  archiveTtlSecs,
}: HostMaintenanceDependencies): Promise<void> {
  for (const runId of await workspaces.listArchives(archiveTtlSecs))
    if ((await claimOf(database, runId)) === 'unwanted') await workspaces.forget(runId);
}

/** A status written by a newer version is never taken for terminal, and what has not the name of any run is not ours to remove. */
async function claimOf(database: Database, runId: string): Promise<RunClaim> {
  if (!isUuid(runId)) return 'unknown';
  const [run] = await findRuns(database.pool, [runId]);
  if (run === undefined) return 'unwanted';
  const status = parseRunStatus(run.status);
  if (status === undefined) return 'unknown';
  return isTerminal(status) ? 'unwanted' : 'wanted';
}
