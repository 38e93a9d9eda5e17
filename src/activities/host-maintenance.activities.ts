import { isTerminal, parseRunStatus } from '../domain/run/status.js';
import type { Database } from '../core/record/database.js';
import { findRuns } from '../core/maintenance/sweeps.js';
import type { SandboxProvider } from '../platform/sandbox/provider.js';
import { reapOrphans, type RunClaim } from '../platform/sandbox/reap-orphans.js';
import type { RunHost } from '../platform/sandbox/run-host.js';
import type { WorkspaceStore } from '../platform/workspace/index.js';
import { whileHeartbeating } from './heartbeat.js';
import type { HostMaintenanceActivities } from './run-activities.js';

export interface HostMaintenanceDependencies {
  database: Database;
  provider: SandboxProvider;
  workspaces: WorkspaceStore;
  runHost: RunHost;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

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

/** What is kept beside the sandboxes of runs that ended while this host was away, which no release will ever name. */
async function removeBelongings({ database, workspaces, runHost }: HostMaintenanceDependencies): Promise<void> {
  const remains = new Set([...(await runHost.listPlanes()), ...(await workspaces.listKept())]);
  for (const runId of remains) {
    if ((await claimOf(database, runId)) !== 'unwanted') continue;
    await workspaces.forget(runId);
    await runHost.closePlane(runId);
  }
}

/** A status written by a newer version is never taken for terminal. */
async function claimOf(database: Database, runId: string): Promise<RunClaim> {
  const [run] = await findRuns(database.pool, [runId]);
  if (run === undefined) return 'unwanted';
  const status = parseRunStatus(run.status);
  if (status === undefined) return 'unknown';
  return isTerminal(status) ? 'unwanted' : 'wanted';
}
