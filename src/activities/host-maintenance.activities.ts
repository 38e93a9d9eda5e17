import { isTerminal, parseRunStatus } from '../domain/run/status.js';
import type { Database } from '../platform/db/database.js';
import { findRuns } from '../platform/db/sweeps.js';
import type { SandboxProvider } from '../platform/sandbox/provider.js';
import { reapOrphans, type RunClaim } from '../platform/sandbox/reap-orphans.js';
import { whileHeartbeating } from './heartbeat.js';
import type { HostMaintenanceActivities } from './run-activities.js';

export interface HostMaintenanceDependencies {
  database: Database;
  provider: SandboxProvider;
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
  if (released.length > 0) on.log.warn({ runs: released }, 'removed sandboxes whose run was over');
  if (failed.length > 0) on.log.warn({ failed }, 'sandboxes could not be removed; trying again');
  return released.length;
}

/** A status of a newer deployment is never taken for an end. */
async function claimOf(database: Database, runId: string): Promise<RunClaim> {
  const [run] = await findRuns(database.pool, [runId]);
  if (run === undefined) return 'unwanted';
  const status = parseRunStatus(run.status);
  if (status === undefined) return 'unknown';
  return isTerminal(status) ? 'unwanted' : 'wanted';
}
