import { isTerminal, parseRunStatus } from '../domain/run/status.js';
import type { Database } from '../platform/db/database.js';
import { findRuns } from '../platform/db/sweeps.js';
import type { SandboxProvider } from '../platform/sandbox/provider.js';
import { whileHeartbeating } from './heartbeat.js';
import type { HostMaintenanceActivities } from './run-activities.js';

export interface HostMaintenanceDependencies {
  database: Database;
  provider: SandboxProvider;
}

export function createHostMaintenanceActivities(on: HostMaintenanceDependencies): HostMaintenanceActivities {
  return { reapOrphans: () => whileHeartbeating(() => reapOrphans(on)) };
}

/**
 * Ends and removes what this host still has of runs that are over or unknown; at boot and by maintenance (chapter 20 §17.4).
 * A terminal run whose cleanup is under way is cleaned twice without harm.
 *
 * @returns how many runs were reaped
 */
export async function reapOrphans(on: HostMaintenanceDependencies): Promise<number> {
  const remains = await on.provider.listRemains();
  if (remains.length === 0) return 0;
  const known = new Map((await findRuns(on.database.pool, remains)).map((run) => [run.sessionId, run.status]));
  const orphans = remains.filter((runId) => {
    const text = known.get(runId);
    const status = text === undefined ? undefined : parseRunStatus(text);
    return text === undefined || (status !== undefined && isTerminal(status));
  });
  for (const runId of orphans) await on.provider.release(runId);
  return orphans.length;
}
