import { acceptsWork, parseRunStatus, type RunStatus } from '../../domain/run/status.js';
import type { RunSpec, WorkspaceSpec } from '../../domain/run/spec.js';
import type { SandboxHandle } from '../../platform/sandbox/provider.js';
import type { TenantTransaction } from '../record/database.js';
import { SessionEntity } from '../runs/session.entity.js';
import { moveRun } from '../runs/run-moves.js';
import { mintRunTokens, type Audience } from '../runs/tokens.js';

/** What a launch reads of its run. */
export interface LaunchRow {
  status: RunStatus;
  run_spec: RunSpec;
  base_commit: string | null;
}

/**
 * The run for a launch step, or undefined when the launch lost it: the run accepts no more work, or somebody asked to stop it.
 * With `evenWhenStopping` the row is read whatever its state.
 */
export async function readLaunch(
  tx: TenantTransaction,
  runId: string,
  options: { evenWhenStopping?: boolean } = {},
): Promise<LaunchRow | undefined> {
  const [row] = await tx.query<{ status: string; run_spec: RunSpec; base_commit: string | null; stopping: boolean }>(
    'select * from svc_read_launch($1)',
    [runId],
  );
  const status = row === undefined ? undefined : parseRunStatus(row.status);
  if (row === undefined || status === undefined) return undefined;
  if (options.evenWhenStopping !== true && (row.stopping || !acceptsWork(status))) return undefined;
  return { status, run_spec: row.run_spec, base_commit: row.base_commit };
}

/** Stores four fresh tokens (earlier ones die) and moves to `initializing`; undefined when the launch lost its run. */
export async function startInitializing(
  tx: TenantTransaction,
  runId: string,
  tokenTtlSecs: number,
): Promise<Record<Audience, string> | undefined> {
  const row = await readLaunch(tx, runId);
  if (row === undefined) return undefined;
  const tokens = await mintRunTokens(tx, runId, tokenTtlSecs);
  if (row.status === 'provisioning') await moveRun(tx, runId, 'provisioning', 'initializing', null);
  return tokens;
}

/** Stores the base commit and records it in the ledger once; false when the launch lost its run. */
export async function recordBaseCommit(
  tx: TenantTransaction,
  runId: string,
  prepared: {
    workspace: WorkspaceSpec;
    baseCommit: string;
    mergeBase?: string | null;
    files: number;
    leftOut: number;
    notFetched?: { submodules: number; lfsFiles: number };
  },
): Promise<boolean> {
  const row = await readLaunch(tx, runId);
  if (row === undefined) return false;
  const { baseCommit } = prepared;
  await tx.manager.update(SessionEntity, { id: runId }, { base_commit: baseCommit, updated_at: () => 'now()' });
  if (row.base_commit === prepared.baseCommit) return true;
  const { workspace } = prepared;
  const origin =
    workspace.kind === 'git_repository'
      ? { repo: workspace.clone_url, ...(workspace.ref === undefined ? {} : { ref: workspace.ref }) }
      : {};
  const { notFetched, mergeBase } = prepared;
  const missing =
    notFetched === undefined
      ? {}
      : { submodules_not_fetched: notFetched.submodules, lfs_files_not_fetched: notFetched.lfsFiles };
  await tx.append(runId, [
    {
      actor: 'system',
      type: 'workspace.initialized',
      data: {
        base_commit: prepared.baseCommit,
        files: prepared.files,
        left_out: prepared.leftOut,
        ...(mergeBase === undefined ? {} : { merge_base: mergeBase }),
        ...origin,
        ...missing,
      },
    },
  ]);
  return true;
}

/** Attaches the sandbox and moves to `running` in one transaction; false when the launch lost its run. */
export async function attachSandbox(tx: TenantTransaction, runId: string, handle: SandboxHandle): Promise<boolean> {
  const row = await readLaunch(tx, runId);
  if (row?.status !== 'initializing') return false;
  await tx.query('select svc_attach_sandbox($1, $2::jsonb)', [runId, JSON.stringify(handle)]);
  if (!(await moveRun(tx, runId, 'initializing', 'running', null))) return false;
  await awaitEarlyQuestions(tx, runId);
  await tx.append(runId, [
    {
      actor: 'system',
      type: 'agent.message',
      data: { role: 'system', text: `Sandbox ${handle.external_id.slice(0, 12)} (${handle.runtime}) launched.` },
    },
  ]);
  return true;
}

/** A runner may have asked before its sandbox was attached; then the run starts in `awaiting_approval`. */
async function awaitEarlyQuestions(tx: TenantTransaction, runId: string): Promise<void> {
  const [early] = await tx.query<{ pending: boolean }>('select svc_has_pending_approval($1) as pending', [runId]);
  if (early?.pending === true) await moveRun(tx, runId, 'running', 'awaiting_approval', 'awaiting human approval');
}

export async function readSandboxHandle(tx: TenantTransaction, runId: string): Promise<SandboxHandle | null> {
  const run = await tx.manager.findOne(SessionEntity, {
    select: { id: true, sandbox_handle: true },
    where: { id: runId },
  });
  return (run?.sandbox_handle as SandboxHandle | null | undefined) ?? null;
}
