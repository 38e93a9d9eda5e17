import { SandgateError } from '../../../domain/errors.js';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import { currentBootId, isAlive } from '../../host/process-identity.js';
import type {
  ProviderReport,
  RunOutput,
  SandboxExit,
  SandboxHandle,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
} from '../provider.js';
import { Launches } from '../room/launch-lock.js';
import { RunRooms, type RunRoomsOptions } from '../room/run-rooms.js';
import { checkHost } from './check-host.js';
import { fromHandle, toHandle } from './handle.js';
import type { Host } from './host.js';
import { LaunchFolder } from './launch-folder.js';
import { launchSandbox } from './launch.js';
import { removeGroups } from './limits/cgroup-limiter.js';
import { findLive } from './live-sandbox.js';
import { awaitRingClosed, readRing, RING_BYTES } from './output-ring.js';
import { runnerPlan } from './runner-plan.js';
import { killSandbox, readState, superviseUntilExit } from './supervise.js';

export interface BubblewrapOptions extends RunRoomsOptions {
  host: Host;
}

/**
 * Sandboxes by bubblewrap on this host: no engine, no image (docs/design/sandbox.md). All state is in files, so any process can go
 * on with a run.
 */
export class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  private readonly launches = new Launches<SandboxHandle>();
  readonly rooms: RunRooms;

  constructor(private readonly options: BubblewrapOptions) {
    this.rooms = new RunRooms(options);
  }

  /** Programs of a sandbox are those of this host. */
  systemName(): Promise<string> {
    return Promise.resolve(this.name);
  }

  check(): Promise<ProviderReport> {
    return checkHost(this.options.host, this.options.dataDir);
  }

  reserve(runId: string, sizes: SandboxSizes): Promise<void> {
    return this.rooms.reserve(runId, sizes);
  }

  provision(spec: SandboxSpec): Promise<SandboxHandle> {
    const folder = this.folder(spec.runId);
    return this.launches.join(spec.runId, folder, () => this.provisionAlone(spec, folder));
  }

  async state(handle: SandboxHandle): Promise<SandboxState> {
    const { runId, identity } = fromHandle(handle);
    return readState(this.folder(runId), identity);
  }

  async waitForExit(handle: SandboxHandle, signal: AbortSignal): Promise<SandboxExit> {
    const { runId, identity } = fromHandle(handle);
    return superviseUntilExit(this.folder(runId), identity, signal);
  }

  async terminate(handle: SandboxHandle): Promise<void> {
    const { runId, identity } = fromHandle(handle);
    const folder = this.folder(runId);
    if (isAlive(identity)) await folder.writeEnd({ reason: 'the sandbox was ended by Sandgate' });
    await killSandbox(folder, identity);
  }

  async readOutput(runId: string): Promise<RunOutput> {
    const folder = this.folder(runId);
    if ((await findLive(folder)) === null) await awaitRingClosed(folder.sandbox);
    const bytes = await readRing(folder.sandbox);
    return { bytes, cut: bytes.length >= RING_BYTES };
  }

  async listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]> {
    const found = [];
    for (const runId of await this.listRemains()) {
      const identity = await findLive(this.folder(runId));
      if (identity !== null) found.push({ runId, handle: toHandle(runId, identity) });
    }
    return found;
  }

  listRemains(): Promise<string[]> {
    return this.rooms.list();
  }

  async release(runId: string): Promise<void> {
    const folder = this.folder(runId);
    const identity = await findLive(folder);
    if (identity !== null) await killSandbox(folder, identity);
    const launch = await folder.readLaunch();
    if (launch !== null) {
      await awaitRingClosed(folder.sandbox);
      if (launch.bootId === currentBootId()) await removeGroups(launch.limits);
    }
    await this.rooms.giveBack(runId);
  }

  private async provisionAlone(spec: SandboxSpec, folder: LaunchFolder): Promise<SandboxHandle> {
    const { phase = 'agent' } = spec;
    const live = await findLive(folder);
    if (live !== null) {
      if ((await folder.readLaunch())?.phase === phase) return toHandle(spec.runId, live);
      throw new SandgateError('sandbox_failed', 'another sandbox of the run is still alive');
    }
    await clearEarlier(folder);
    const [mounted, uid, disk, limits] = await Promise.all([
      this.rooms.show(spec),
      this.rooms.claimUid(spec.runId),
      this.rooms.diskOf(spec.runId),
      this.options.host.limiter.prepare(spec.runId, spec.sizes),
    ]);
    const bootId = currentBootId();
    await folder.writeLaunch({
      runId: spec.runId,
      mode: this.options.host.mode,
      bootId,
      launchedAt: Date.now(),
      sizes: spec.sizes,
      limits: limits.record,
      disk,
      phase,
    });
    try {
      const identity = await launchSandbox(
        runnerPlan({ spec, mounted, folder, uid, limits, host: this.options.host, disk }),
      );
      return toHandle(spec.runId, identity);
    } catch (error) {
      const remains = await findLive(folder);
      if (remains !== null) await killSandbox(folder, remains);
      throw error;
    } finally {
      this.rooms.hide(spec.runId);
    }
  }

  private folder(runId: string): LaunchFolder {
    return new LaunchFolder(this.options.dataDir, runId);
  }
}

/** What a dead sandbox of the same run leaves: a group with its counts, and a ring whose last lines are being written. */
async function clearEarlier(folder: LaunchFolder): Promise<void> {
  const earlier = await folder.readLaunch();
  if (earlier === null || earlier.bootId !== currentBootId()) return;
  await awaitRingClosed(folder.sandbox);
  await removeGroups(earlier.limits);
}
