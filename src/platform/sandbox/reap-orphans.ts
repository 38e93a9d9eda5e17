import type { SandboxProvider } from './provider.js';

/** Whether the database still needs what is on this host. `unknown` (an unreadable row, for one) leaves everything as it is. */
export type RunClaim = 'wanted' | 'unwanted' | 'unknown';

export interface ReapReport {
  /** Runs whose sandbox, folders, mounts, cgroups and uid were removed. */
  released: string[];
  /** Runs that could not be removed, with the reason; they are tried again next time. */
  failed: { runId: string; reason: string }[];
}

/**
 * Removes what runs left on this host that the record does not know or has ended (docs/design/sandbox.md). `claimOf` decides for each
 * run; what it leaves alone stays. Safe to run at any time, and twice at once.
 */
export async function reapOrphans(
  provider: SandboxProvider,
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
  return report;
}
