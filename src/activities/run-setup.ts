import { SandgateError } from '../domain/errors.js';
import { buildSetupEnvironment } from '../domain/run/runner-environment.js';
import type { FrozenSetup, RunSpec } from '../domain/run/spec.js';
import { SETUP_EXIT } from '../domain/setup/setup-call.js';
import { startInitializing } from '../core/launch/launch.js';
import type { Audience } from '../core/runs/tokens.js';
import { readSetupEnd, recordSkippedSetup } from '../core/setup/setup-record.js';
import type { SandboxExit, SandboxProvider, SandboxSpec } from '../platform/sandbox/provider.js';
import { storeLog } from './collect-artifacts.js';
import type { RunRef } from './run-activities.js';
import { KeptSetups, type KeptSetupDependencies } from './kept-setups.js';

export interface SetupDependencies extends Omit<KeptSetupDependencies, 'layers' | 'hostId'> {
  provider: SandboxProvider;
  tokenTtlSecs: number;
  /** Where the results of setups are kept; left out where they are not. */
  kept?: Pick<KeptSetupDependencies, 'layers' | 'hostId'>;
}

/** A run whose workspace is filled, and waits for the commands that prepare it. */
export interface PendingSetup {
  spec: RunSpec;
  setup: FrozenSetup;
  /** Under which its result will be kept; null where it will not. */
  layerId: string | null;
}

/** Work on a stranger's code never runs what that code says, so there is nothing to prepare with. */
const READ_ONLY_TIER = 'the run may only read, so no command prepares its workspace';

/** Prepares the workspaces of runs before their agents start (docs/design/setup.md). */
export class RunSetups {
  private readonly kept: KeptSetups | null;

  constructor(private readonly on: SetupDependencies) {
    this.kept = on.kept === undefined ? null : new KeptSetups({ ...on, ...on.kept });
  }

  /** What is left to do for a run whose workspace is filled: nothing where no commands are to be run, or their result is kept. */
  async begin(run: RunRef, spec: RunSpec, baseCommit: string): Promise<PendingSetup | null> {
    const { setup } = spec;
    if (setup === undefined || setup.commands.length === 0) return null;
    if (spec.trust_tier === 'read_only') {
      await this.on.database.withTenant(run.organizationId, (tx) => recordSkippedSetup(tx, run.runId, READ_ONLY_TIER));
      return null;
    }
    const found = await this.kept?.find(run, spec, setup, baseCommit);
    if (found !== undefined && 'reused' in found) return null;
    return { spec, setup, layerId: found?.layerId ?? null };
  }

  /**
   * Runs the commands, in a sandbox of their own that is dead when this returns.
   * @param tokens those that were minted for the launch
   * @returns fresh tokens for the agent's sandbox; undefined when the launch lost its run
   * @throws SandgateError `invalid_request` with the sentence about the command that failed, before any model was asked
   */
  async perform(
    run: RunRef,
    pending: PendingSetup,
    tokens: Record<Audience, string>,
    signal: AbortSignal,
  ): Promise<Record<Audience, string> | undefined> {
    const { database, tokenTtlSecs } = this.on;
    const { layerId } = pending;
    try {
      const exit = await this.performAlone(run, pending, tokens, signal);
      await storeLog(this.on, run, 'setup.log');
      if (exit.exitCode !== 0) throw await this.failure(run, exit);
    } catch (cause) {
      if (layerId !== null) await this.kept?.giveUp(run, layerId);
      throw cause;
    }
    if (layerId !== null) await this.kept?.keep(run, layerId);
    return database.withTenant(run.organizationId, (tx) => startInitializing(tx, run.runId, tokenTtlSecs));
  }

  /** The sandbox from its start to its confirmed death, whatever its commands left running, and also when the launch is cancelled. */
  private async performAlone(
    { runId }: RunRef,
    { spec, setup }: PendingSetup,
    { control, tool }: Record<Audience, string>,
    signal: AbortSignal,
  ): Promise<SandboxExit> {
    const { provider } = this.on;
    const handle = await provider.provision({
      ...sandboxOf(runId, spec),
      phase: 'setup',
      variables: buildSetupEnvironment(runId, spec, setup),
      tokens: { control, tool },
    });
    try {
      return await provider.waitForExit(handle, signal);
    } finally {
      await provider.terminate(handle);
    }
  }

  /** Whether it failed is known by the exit of the sandbox; the runner may have told why. */
  private async failure(run: RunRef, { exitCode, reason }: SandboxExit): Promise<SandgateError> {
    const told = await this.on.database.withTenant(run.organizationId, (tx) => readSetupEnd(tx, run.runId));
    const isTold = exitCode === SETUP_EXIT.failed || exitCode === SETUP_EXIT.outOfTime;
    return new SandgateError('invalid_request', `setup failed: ${isTold && told !== null ? told : reason}`);
  }
}

/** A repository that was asked for so, and whatever a run works on that may only read. */
function isReadOnly({ workspace, trust_tier: tier }: RunSpec): boolean {
  return tier === 'read_only' || (workspace.kind === 'git_repository' && workspace.checkout_mode === 'read_only');
}

/** What both sandboxes of a run have in common. */
export function sandboxOf(
  runId: string,
  spec: RunSpec,
): Pick<SandboxSpec, 'runId' | 'workspaceReadOnly' | 'harness' | 'image' | 'sizes' | 'keepsHome'> {
  return {
    runId,
    workspaceReadOnly: isReadOnly(spec),
    harness: spec.harness,
    image: spec.runner_image,
    sizes: spec.sandbox,
    keepsHome: spec.setup !== undefined && spec.trust_tier !== 'read_only',
  };
}
