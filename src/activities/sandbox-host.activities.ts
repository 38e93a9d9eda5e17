import { SandgateError } from '../domain/errors.js';
import { buildRunnerEnvironment } from '../domain/run/runner-environment.js';
import type { RunSpec } from '../domain/run/spec.js';
import {
  attachSandbox,
  readLaunch,
  recordBaseCommit,
  startInitializing,
  type LaunchRow,
} from '../core/launch/launch.js';
import type { AdmissionLimits } from '../core/runs/capacity.js';
import type { RequeueLimits } from '../core/launch/requeue.js';
import type { Database } from '../core/record/database.js';
import type { Audience } from '../core/runs/tokens.js';
import type { Sandboxes, SandboxHandle, SandboxProvider } from '../platform/sandbox/provider.js';
import type { MaterializedWorkspace, RemoteAccess, WorkspaceArchive } from '../platform/workspace/index.js';
import { collectArtifacts, findLive, isGoneForGood, recordMissingDiff, STILL_LIVE } from './collect-artifacts.js';
import { whileHeartbeating, type AttemptFacts } from '../platform/temporal/heartbeats.js';
import type { RunRef, SandboxHostActivities } from './run-activities.js';
import { settleLaunchProblem, type LaunchProblemDependencies } from './launch-problems.js';
import { LaunchLocks, type InPlace, type LaunchResult, type LaunchLockLimits } from './launch-locks.js';
import { RunSetups, sandboxOf, type PendingSetup, type SetupDependencies } from './run-setup.js';

export interface LaunchLimits extends AdmissionLimits, RequeueLimits, LaunchLockLimits {}

/** What the activities of one sandbox host work with. */
export interface SandboxHostDependencies extends Sandboxes, Pick<SetupDependencies, 'kept'> {
  database: Database;
  /** What reaches the code host of a run. */
  accessOf(run: RunRef, spec: RunSpec): RemoteAccess;
  tokenTtlSecs: number;
  limits: LaunchLimits;
  log: { warn(fields: Record<string, unknown>, message: string): void };
  /** Largest archive of a workspace, in bytes. */
  maxArchiveBytes: number;
  /** Limits of one collection in milliseconds; the whole takes at most 120 s (docs/design/workspaces.md). */
  collectTimeoutMs: number;
  /** How long what has the sandboxes may be away before a run ends without it. */
  awayMs: number;
}

/** Steps that need the host of the sandbox. Each finds out by itself how far an earlier attempt came. */
export function createSandboxHostActivities(dependencies: SandboxHostDependencies): SandboxHostActivities {
  const host = new SandboxHost(dependencies);
  const launchLocks = new LaunchLocks(dependencies.limits, (...launch) => host.launch(...launch));
  return {
    launchSandbox: (run) => whileHeartbeating((signal) => launchLocks.take(run, signal)),
    stopSandbox: (run, graceMs) => whileHeartbeating((_signal, at) => host.stop(run, graceMs, at)),
    collectArtifacts: (run) => whileHeartbeating((_signal, at) => collectArtifacts(dependencies, run, at)),
    releaseSandbox: (run) => whileHeartbeating(() => host.release(run)),
  };
}

/** What its commands made would be gone with their sandbox. */
const SETUP_APART =
  'the sandboxes of this host share no files with it, so no commands can prepare a workspace for them';

type Tokens = Record<Audience, string>;

/** A filled workspace. */
interface Prepared {
  tokens: Tokens;
  baseCommit: string;
  /** What sandboxes fetch that share no files with this host. */
  archive: WorkspaceArchive | undefined;
}

class SandboxHost {
  private readonly problems: LaunchProblemDependencies;
  private readonly setups: RunSetups;

  constructor(private readonly on: SandboxHostDependencies) {
    this.problems = { ...on, release: (run) => this.release(run) };
    this.setups = new RunSetups(on);
  }

  async launch(run: RunRef, signal: AbortSignal, inPlace: InPlace): Promise<LaunchResult> {
    try {
      const begun = await inPlace(() => this.begin(run, signal));
      if ('launched' in begun) return begun;
      // Commands may take long, and people longer: other launches go on meanwhile.
      const tokens = await this.setups.perform(run, begun.pending, begun.tokens, signal);
      if (tokens === undefined) return { launched: false };
      return await inPlace(() => this.startAgent(run, begun.pending.spec, tokens));
    } catch (cause) {
      if (signal.aborted) throw cause;
      await settleLaunchProblem(this.problems, run, cause);
      return { launched: false };
    }
  }

  /** Up to the end of the launch, or to the commands that prepare the workspace where there are some. */
  private async begin(
    run: RunRef,
    signal: AbortSignal,
  ): Promise<LaunchResult | { pending: PendingSetup; tokens: Tokens }> {
    const row = await this.owned(run);
    if (row === undefined) return { launched: false };
    if (row.status === 'running' || row.status === 'awaiting_approval') return { launched: true };
    await this.removeEarlierAttempt(run.runId);
    const spec = row.run_spec;
    const prepared = await this.prepare(run, spec, signal);
    if (prepared === undefined) return { launched: false };
    const { tokens, baseCommit, archive } = prepared;
    const pending = await this.setups.begin(run, spec, baseCommit);
    if (pending === null) return this.startAgent(run, spec, tokens, archive);
    if (archive === undefined) return { pending, tokens };
    throw new SandgateError('invalid_request', SETUP_APART);
  }

  /** The run's row while the run accepts work and nobody asked to stop it; undefined for a launch that lost its run. */
  private owned(run: RunRef): Promise<LaunchRow | undefined> {
    return this.on.database.withTenant(run.organizationId, (tx) => readLaunch(tx, run.runId));
  }

  /** The tokens of an earlier attempt are gone with its process, so its sandbox cannot be adopted. */
  private async removeEarlierAttempt(runId: string): Promise<void> {
    if ((await this.on.provider.listRemains()).includes(runId)) await this.on.provider.release(runId);
    await this.on.workspaces.forget(runId);
  }

  /** The workspace as the run begins with it, and a plane that answers; undefined when the launch lost its run. */
  private async prepare(run: RunRef, spec: RunSpec, signal: AbortSignal): Promise<Prepared | undefined> {
    const { database, provider, runHost } = this.on;
    const { runId } = run;
    await runHost.assertInstalled(spec);
    // The steps that a full host refuses come first, because only a run in `provisioning` may go back into the queue.
    await provider.reserve(runId, spec.sandbox);
    // The API begins to serve the run's plane as soon as it is opened; meanwhile the workspace is filled.
    await runHost.openPlane(runId);
    const lost = new AbortController();
    const [initializing, filling] = await Promise.allSettled([
      this.initialize(run, lost),
      this.fill(run, spec, AbortSignal.any([signal, lost.signal])),
    ]);
    if (initializing.status === 'rejected') throw initializing.reason;
    const tokens = initializing.value;
    if (tokens === undefined) return undefined;
    if (filling.status === 'rejected') throw filling.reason;
    const stillOwned = await database.withTenant(run.organizationId, (tx) =>
      recordBaseCommit(tx, runId, { workspace: spec.workspace, ...filling.value }),
    );
    if (!stillOwned) return undefined;
    const archive = await this.packed(runId);
    await runHost.awaitPlane(runId, signal);
    return { tokens, baseCommit: filling.value.baseCommit, archive };
  }

  private async packed(runId: string): Promise<WorkspaceArchive | undefined> {
    const { provider, workspaces, maxArchiveBytes } = this.on;
    return provider.transport === 'archive' ? workspaces.pack(runId, maxArchiveBytes) : undefined;
  }

  private async startAgent(
    run: RunRef,
    spec: RunSpec,
    { control, tool, llm, workspace }: Tokens,
    archive?: WorkspaceArchive,
  ): Promise<LaunchResult> {
    const handle = await this.on.provider.provision({
      ...sandboxOf(run.runId, spec),
      phase: 'agent',
      variables: buildRunnerEnvironment(run.runId, spec),
      tokens: { control, tool, llm },
      ...(archive === undefined ? {} : { archive: { ...archive, token: workspace } }),
    });
    return { launched: await this.attach(run, handle) };
  }

  /** Aborts `lost` when there is nothing to prepare a workspace for. */
  private async initialize(run: RunRef, lost: AbortController): Promise<Tokens | undefined> {
    try {
      const tokens = await this.on.database.withTenant(run.organizationId, (tx) =>
        startInitializing(tx, run.runId, this.on.tokenTtlSecs),
      );
      if (tokens === undefined) lost.abort();
      return tokens;
    } catch (cause) {
      lost.abort();
      throw cause;
    }
  }

  private async fill(run: RunRef, spec: RunSpec, signal: AbortSignal): Promise<MaterializedWorkspace> {
    return this.on.workspaces.fill({
      runId: run.runId,
      spec: spec.workspace,
      sizes: spec.sandbox,
      remote: this.on.accessOf(run, spec),
      signal,
    });
  }

  private async attach(run: RunRef, handle: SandboxHandle): Promise<boolean> {
    const attached = await this.on.database.withTenant(run.organizationId, (tx) =>
      attachSandbox(tx, run.runId, handle),
    );
    if (!attached) await this.on.provider.terminate(handle);
    return attached;
  }

  async stop(run: RunRef, graceMs: number, at: AttemptFacts): Promise<void> {
    const { provider, awayMs } = this.on;
    try {
      const handle = await findLive(provider, run);
      if (handle === undefined) return;
      if (graceMs > 0) await exitWithin(provider, handle, graceMs);
      await provider.terminate(handle);
    } catch (cause) {
      if (!isGoneForGood(cause, at, awayMs)) throw cause;
      // Its death cannot be confirmed, so nothing is collected; the release is retried after the run has ended.
      await recordMissingDiff(this.on.database, run, STILL_LIVE);
    }
  }

  async release(run: RunRef): Promise<void> {
    await this.on.provider.release(run.runId);
    await this.on.workspaces.forget(run.runId);
    await this.on.runHost.closePlane(run.runId);
  }
}

/** Waits for the sandbox to end by itself; the caller checks afterwards whether it did. */
async function exitWithin(provider: SandboxProvider, handle: SandboxHandle, graceMs: number): Promise<void> {
  const patience = AbortSignal.timeout(graceMs);
  try {
    await provider.waitForExit(handle, patience);
  } catch (cause) {
    if (!patience.aborted) throw cause;
  }
}
