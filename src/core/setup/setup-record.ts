import type { TenantTransaction } from '../record/database.js';

/** Why the last setup of a run fell short, as its runner told it; null when it told nothing or succeeded. */
export async function readSetupEnd(tx: TenantTransaction, runId: string): Promise<string | null> {
  const [row] = await tx.query<{ reason: string | null }>('select svc_read_setup_end($1) as reason', [runId]);
  return row?.reason ?? null;
}

/** Records that the agent starts without the commands that would have prepared its workspace. */
export async function recordSkippedSetup(tx: TenantTransaction, runId: string, reason: string): Promise<void> {
  await tx.append(runId, [{ actor: 'system', type: 'setup.skipped', data: { reason } }]);
}

/** Records that the workspace is prepared with what an earlier setup made, mostly that of another run. */
export async function recordReusedSetup(
  tx: TenantTransaction,
  runId: string,
  { key, madeBy }: { key: string; madeBy: string },
): Promise<void> {
  await tx.append(runId, [{ actor: 'system', type: 'setup.reused', data: { key, made_by: madeBy } }]);
}

/** Records whether later runs will be given what this run's setup made. */
export async function recordKeptSetup(
  tx: TenantTransaction,
  runId: string,
  outcome: { kept: boolean; bytes?: number; files?: number; reason?: string },
): Promise<void> {
  await tx.append(runId, [{ actor: 'system', type: 'setup.kept', data: outcome }]);
}
