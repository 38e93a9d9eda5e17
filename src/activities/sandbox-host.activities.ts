import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../domain/errors.js';
import { redactText } from '../domain/redaction/redact-text.js';
import { buildRunnerEnvironment } from '../domain/run/runner-environment.js';
import {
  attachSandbox,
  readLaunch,
  recordBaseCommit,
  startInitializing,
  type LaunchRow,
} from '../platform/db/launch.js';
import { readStoredDiff, storeArtifact, storeDiff, storeMissingDiff } from '../platform/db/artifacts.js';
import { recordFailure } from '../platform/db/failures.js';
import type { Database } from '../platform/db/database.js';
import { planeDirectory } from '../platform/plane/plane-socket-path.js';
import type { SandboxHandle, SandboxProvider } from '../platform/sandbox/provider.js';
import { collectDiff, materialize, removeBaseline } from '../platform/workspace/index.js';
import { whileHeartbeating } from './heartbeat.js';
import type { RunRef, SandboxHostActivities } from './run-activities.js';
import { waitForPlane } from './plane-socket.js';

/** What the activities of one sandbox host work with. */
export interface SandboxHostDependencies {
  database: Database;
  provider: SandboxProvider;
  dataDir: string;
  localCopyRoots: readonly string[];
  tokenTtlSecs: number;
  /** Limits of one collection in milliseconds; the whole takes at most 120 s (chapter 20 §11). */
  collectTimeoutMs: number;
}

/** A sandbox that does not come up is tried again this often before the run fails with the reason. */
const LAUNCH_ATTEMPTS = 3;

/** Steps that need the host of the sandbox. Each finds out by itself how far an earlier attempt came. */
export function createSandboxHostActivities(dependencies: SandboxHostDependencies): SandboxHostActivities {
  const host = new SandboxHost(dependencies);
  return {
    launchSandbox: (run) => whileHeartbeating((signal, attempt) => host.launch(run, attempt, signal)),
    stopSandbox: (run, graceMs) => whileHeartbeating(() => host.stop(run, graceMs)),
    collectArtifacts: (run) => whileHeartbeating(() => host.collect(run)),
    releaseSandbox: (run) => whileHeartbeating(() => host.release(run)),
  };
}

class SandboxHost {
  constructor(private readonly on: SandboxHostDependencies) {}

  async launch(run: RunRef, attempt: number, signal: AbortSignal): Promise<{ launched: boolean }> {
    const row = await this.owned(run);
    if (row === undefined) return { launched: false };
    if (row.status === 'running' || row.status === 'awaiting_approval') return { launched: true };
    try {
      await this.removeEarlierAttempt(run.sessionId);
      return { launched: await this.start(run, row, signal) };
    } catch (cause) {
      if (!(cause instanceof SandgateError)) throw cause;
      if (cause.code === 'unavailable' && attempt < LAUNCH_ATTEMPTS) throw cause;
      await recordFailure(this.on.database, run, cause.message);
      return { launched: false };
    }
  }

  /** The run's row while the run accepts work and nobody asked to stop it; undefined for a launch that lost its run. */
  private owned(run: RunRef): Promise<LaunchRow | undefined> {
    return this.on.database.withTenant(run.organizationId, (tx) => readLaunch(tx, run.sessionId));
  }

  /** The tokens of an earlier attempt are gone with its process, so its sandbox cannot be adopted. */
  private async removeEarlierAttempt(sessionId: string): Promise<void> {
    if ((await this.on.provider.listRemains()).includes(sessionId)) await this.on.provider.release(sessionId);
    await removeBaseline(this.baselineDir(sessionId));
  }

  private async start(run: RunRef, row: LaunchRow, signal: AbortSignal): Promise<boolean> {
    const { database, provider } = this.on;
    const tokens = await database.withTenant(run.organizationId, (tx) =>
      startInitializing(tx, run.sessionId, this.on.tokenTtlSecs),
    );
    if (tokens === undefined) return false;
    const spec = row.run_spec;
    const workspaceDir = await provider.createWorkspace(run.sessionId, spec.sandbox);
    const { baseCommit, files, leftOut } = await materialize({
      spec: spec.workspace,
      workspaceDir,
      baselineDir: this.baselineDir(run.sessionId),
      roots: this.on.localCopyRoots,
      uid: await provider.workspaceOwner(run.sessionId),
      stateDir: this.on.dataDir,
      signal,
    });
    const stillOwned = await database.withTenant(run.organizationId, (tx) =>
      recordBaseCommit(tx, run.sessionId, { workspace: spec.workspace, baseCommit, files, leftOut }),
    );
    if (!stillOwned) return false;
    const planeDir = planeDirectory(this.on.dataDir, run.sessionId);
    await mkdir(planeDir, { recursive: true });
    await waitForPlane(this.on.dataDir, run.sessionId, signal);
    const { control, tool, llm } = tokens;
    const handle = await provider.provision({
      runId: run.sessionId,
      organizationId: run.organizationId,
      workspaceDir,
      workspaceReadOnly: spec.workspace.kind === 'git_repository' && spec.workspace.checkout_mode === 'read_only',
      planeDir,
      sizes: spec.sandbox,
      variables: buildRunnerEnvironment(run.sessionId, spec),
      tokens: { control, tool, llm },
    });
    return this.attach(run, handle);
  }

  private async attach(run: RunRef, handle: SandboxHandle): Promise<boolean> {
    const attached = await this.on.database.withTenant(run.organizationId, (tx) =>
      attachSandbox(tx, run.sessionId, handle),
    );
    if (!attached) await this.on.provider.terminate(handle);
    return attached;
  }

  async stop(run: RunRef, graceMs: number): Promise<void> {
    const { provider } = this.on;
    for (const { runId, handle } of await provider.listManaged()) {
      if (runId !== run.sessionId) continue;
      if (graceMs > 0) await exitWithin(provider, handle, graceMs);
      await provider.terminate(handle);
    }
  }

  /** Takes the diff of a dead sandbox; a stored real diff is final (chapter 10 §4). */
  async collect(run: RunRef): Promise<void> {
    const { database, provider } = this.on;
    const launch = await database.withTenant(run.organizationId, async (tx) => ({
      stored: await readStoredDiff(tx, run.sessionId),
      baseCommit: (await readLaunch(tx, run.sessionId, { evenWhenStopping: true }))?.base_commit ?? null,
    }));
    if (launch.baseCommit === null || launch.stored === 'collected') return;
    await this.collectDiff(run, launch.baseCommit);
    const output = redactText((await provider.readOutput(run.sessionId)).toString('utf8'));
    if (output === '') return;
    await database.withTenant(run.organizationId, (tx) =>
      storeArtifact(tx, run.sessionId, {
        kind: 'log',
        name: 'runner.log',
        contentType: 'text/plain',
        content: Buffer.from(output),
        truncated: false,
      }),
    );
  }

  private async collectDiff(run: RunRef, baseCommit: string): Promise<void> {
    const { database, provider } = this.on;
    try {
      const workspaceDir = await provider.reopenWorkspace(run.sessionId);
      if (workspaceDir === null) throw new SandgateError('not_found', 'workspace_gone');
      const diff = await collectDiff({
        workspaceDir,
        baselineDir: this.baselineDir(run.sessionId),
        baseCommit,
        uid: await provider.workspaceOwner(run.sessionId),
        timeoutMs: this.on.collectTimeoutMs,
      });
      await database.withTenant(run.organizationId, (tx) => storeDiff(tx, run.sessionId, diff));
    } catch (cause) {
      if (!(cause instanceof SandgateError) || cause.code === 'unavailable') throw cause;
      await database.withTenant(run.organizationId, (tx) => storeMissingDiff(tx, run.sessionId, cause.message));
    }
  }

  async release(run: RunRef): Promise<void> {
    await this.on.provider.release(run.sessionId);
    await removeBaseline(this.baselineDir(run.sessionId));
    await rm(planeDirectory(this.on.dataDir, run.sessionId), { recursive: true, force: true });
  }

  private baselineDir(sessionId: string): string {
    return join(this.on.dataDir, 'baselines', `${sessionId}.git`);
  }
}

/** Waits for the sandbox to leave by itself; whether it did is the caller's next look. */
async function exitWithin(provider: SandboxProvider, handle: SandboxHandle, graceMs: number): Promise<void> {
  const patience = AbortSignal.timeout(graceMs);
  try {
    await provider.waitForExit(handle, patience);
  } catch (cause) {
    if (!patience.aborted) throw cause;
  }
}
