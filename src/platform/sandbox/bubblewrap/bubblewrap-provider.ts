import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type {
  ProviderReport,
  SandboxExit,
  SandboxHandle,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
  UidAllocator,
} from '../provider.js';
import { removeTree } from '../../host/remove-tree.js';
import { isFolder } from '../../packages/npm/placed-folder.js';
import { planeRoot } from '../../host/plane-socket-path.js';
import { toolsFolder } from '../../packages/tools/tool-folder.js';
import type { Runtime } from '../runtime.js';
import { isMissing } from '../../../domain/system-error.js';
import type { SandboxMode } from './arguments.js';
import { BlankDisks } from './blank-disks.js';
import { checkHost } from './check-host.js';
import { fromHandle, toHandle } from './handle.js';
import type { Host } from './host.js';
import { withLaunchLock } from './launch-lock.js';
import { launchSandbox } from './launch.js';
import { removeGroups } from './limits/cgroup-limiter.js';
import { createOwnedFolder, deleteImage, formatImage, isMountPoint, mountDisk, unmountDisk } from './loop-disk.js';
import { awaitRingClosed, readRing } from './output-ring.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import { currentBootId, identifyProcess, isAlive, startedAtMs } from '../../host/process-identity.js';
import { resolveInside } from './refuse-links.js';
import { isRunId, RunFolder } from './run-folder.js';
import { runnerPlan } from './runner-plan.js';
import { ShownFolders } from './shown-folders.js';
import { readStatus } from './status-file.js';
import { killSandbox, readState, superviseUntilExit } from './supervise.js';

/** A process that started further from the noted launch is another one under a reused pid. */
const LAUNCH_WINDOW_MS = 60_000;
const MIB = 1024 * 1024;

export interface BubblewrapOptions {
  dataDir: string;
  host: Host;
  runtime: Runtime;
  uids: UidAllocator;
}

interface ReadOnlyFolders {
  runtime: string;
  tools: string | null;
  harness: string | null;
}

/**
 * Sandboxes by bubblewrap on this host: no engine, no image (docs/design/sandbox.md). All state is in files, so any process can go
 * on with a run.
 */
export class BubblewrapProvider implements SandboxProvider {
  readonly name = 'bubblewrap';
  private readonly launching = new Map<string, Promise<SandboxHandle>>();
  private readonly hiding = new Map<string, Promise<void>>();
  private readonly disks: BlankDisks;

  constructor(private readonly options: BubblewrapOptions) {
    this.disks = new BlankDisks(join(options.dataDir, 'blank-disks'), formatImage);
  }

  private get mode(): SandboxMode {
    return this.options.host.mode;
  }

  check(): Promise<ProviderReport> {
    return checkHost(this.options.host, this.options.dataDir);
  }

  async createWorkspace(runId: string, sizes: SandboxSizes): Promise<string> {
    const folder = this.folder(runId);
    await folder.create();
    // A failure of one waits for the other: a disk that is still being made would be in the way of the release that follows.
    const [uid, ...made] = await Promise.allSettled([
      this.claimUid(runId),
      this.makeDisk(folder, sizes.disk_mb),
      this.showStanding(folder),
    ]);
    if (uid.status === 'rejected') throw uid.reason;
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    await createOwnedFolder(folder.workspace, uid.value);
    return folder.workspace;
  }

  async reopenWorkspace(runId: string): Promise<string | null> {
    const folder = this.folder(runId);
    const image = await sizeOf(folder.image);
    if (image !== null) await mountDisk(folder.image, folder.disk, image / MIB);
    return (await sizeOf(folder.workspace)) === null ? null : folder.workspace;
  }

  workspaceOwner(runId: string): Promise<number | null> {
    return this.claimUid(runId);
  }

  provision(spec: SandboxSpec): Promise<SandboxHandle> {
    const running = this.launching.get(spec.runId);
    if (running !== undefined) return running;
    const launch = this.provisionOnce(spec).finally(() => this.launching.delete(spec.runId));
    this.launching.set(spec.runId, launch);
    return launch;
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

  async readOutput(runId: string): Promise<Buffer> {
    const folder = this.folder(runId);
    if ((await this.findLive(folder)) === null) await awaitRingClosed(folder.sandbox);
    return readRing(folder.sandbox);
  }

  async listManaged(): Promise<{ runId: string; handle: SandboxHandle }[]> {
    const found = [];
    for (const runId of await this.listRemains()) {
      const identity = await this.findLive(this.folder(runId));
      if (identity !== null) found.push({ runId, handle: toHandle(runId, identity) });
    }
    return found;
  }

  async listRemains(): Promise<string[]> {
    try {
      return (await readdir(join(this.options.dataDir, 'runs'))).filter(isRunId);
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async release(runId: string): Promise<void> {
    const folder = this.folder(runId);
    const identity = await this.findLive(folder);
    if (identity !== null) await killSandbox(folder, identity);
    const launch = await folder.readLaunch();
    if (launch !== null) {
      await awaitRingClosed(folder.sandbox);
      if (launch.bootId === currentBootId()) await removeGroups(launch.limits);
    }
    await this.hiding.get(runId);
    this.hiding.delete(runId);
    await new ShownFolders(folder.shown).hide();
    await unmountDisk(folder.disk);
    await deleteImage(folder.image);
    await removeTree(folder.root);
    if (this.mode === 'root') await this.options.uids.release(runId);
    await this.disks.prepare();
  }

  private async provisionOnce(spec: SandboxSpec): Promise<SandboxHandle> {
    const folder = this.folder(spec.runId);
    await folder.create();
    return withLaunchLock(folder.sandbox, () => this.provisionAlone(spec, folder));
  }

  private async provisionAlone(spec: SandboxSpec, folder: RunFolder): Promise<SandboxHandle> {
    const live = await this.findLive(folder);
    if (live !== null) return toHandle(spec.runId, live);
    const [folders, uid, toolsDir, isImage] = await Promise.all([
      this.resolveFolders(spec),
      this.claimUid(spec.runId),
      this.findTools(),
      isMountPoint(folder.disk),
    ]);
    await this.hiding.get(spec.runId);
    const shown = new ShownFolders(folder.shown);
    const [limits, readOnly] = await Promise.all([
      this.options.host.limiter.prepare(spec.runId, spec.sizes),
      this.show(shown, { runtime: this.options.runtime.dir, tools: toolsDir, harness: folders.harnessDir ?? null }),
    ]);
    const disk = isImage ? ('image' as const) : ('folder' as const);
    const bootId = currentBootId();
    await folder.writeLaunch({
      runId: spec.runId,
      mode: this.mode,
      bootId,
      launchedAt: Date.now(),
      sizes: spec.sizes,
      limits: limits.record,
      disk,
    });
    try {
      const identity = await launchSandbox(
        runnerPlan({
          spec: { ...spec, ...folders, harnessDir: readOnly.harness },
          folder,
          uid,
          limits,
          host: this.options.host,
          runtime: { ...this.options.runtime, dir: readOnly.runtime },
          toolsDir: readOnly.tools,
          disk,
        }),
      );
      return toHandle(spec.runId, identity);
    } catch (error) {
      const remains = await this.findLive(folder);
      if (remains !== null) await killSandbox(folder, remains);
      throw error;
    } finally {
      // The sandbox has what it needs. What could not be removed now is removed with the run.
      this.hiding.set(
        spec.runId,
        shown.hide().catch(() => undefined),
      );
    }
  }

  /** What every run has mounted, ahead of its launch and beside the making of its disk. */
  private async showStanding(folder: RunFolder): Promise<void> {
    if (!this.options.host.hidesPaths) return;
    await new ShownFolders(folder.shown).show({ runtime: this.options.runtime.dir, tools: await this.findTools() });
  }

  /** Where the read-only folders are mounted from: as root a place that tells a sandbox nothing of where they are. */
  private async show(shown: ShownFolders, folders: ReadOnlyFolders): Promise<ReadOnlyFolders> {
    if (!this.options.host.hidesPaths) return folders;
    const places = await shown.show({ ...folders });
    return { ...places, runtime: places.runtime ?? folders.runtime };
  }

  private async resolveFolders(
    spec: SandboxSpec,
  ): Promise<Pick<SandboxSpec, 'workspaceDir' | 'planeDir' | 'harnessDir'>> {
    const { dataDir } = this.options;
    const planeDir = await resolveInside(planeRoot(dataDir), spec.planeDir);
    // The run's uid must get in, and bubblewrap without its rights too, whatever the umask of the one who made the folder.
    const workspaceDir = await resolveInside(dataDir, spec.workspaceDir);
    if (this.mode === 'root') await Promise.all([chmod(planeDir, 0o755), chmod(workspaceDir, 0o711)]);
    const harnessDir = spec.harnessDir ? await resolveInside(dataDir, spec.harnessDir) : null;
    return { workspaceDir, planeDir, harnessDir };
  }

  /** If a link stood in its place, its target would be mounted. */
  private async findTools(): Promise<string | null> {
    const folder = toolsFolder(this.options.dataDir);
    return (await isFolder(folder)) ? folder : null;
  }

  /** The live sandbox of a run, also one whose launcher died before it could note the process. */
  private async findLive(folder: RunFolder): Promise<ProcessIdentity | null> {
    const launch = await folder.readLaunch();
    if (launch === null || launch.bootId !== currentBootId()) return null;
    const noted = await folder.readProcess();
    if (noted !== null) return isAlive(noted) ? noted : null;
    const { childPid, exitCode } = await readStatus(folder.status);
    if (childPid === null || exitCode !== null) return null;
    const identity = identifyProcess(childPid);
    return identity !== undefined &&
      isAlive(identity) &&
      Math.abs(startedAtMs(identity) - launch.launchedAt) < LAUNCH_WINDOW_MS
      ? identity
      : null;
  }

  private async makeDisk(folder: RunFolder, sizeMb: number): Promise<void> {
    if (this.options.host.hasLoopDisks)
      await mountDisk(folder.image, folder.disk, sizeMb, (image, mb) => this.disks.make(image, mb));
    else await mkdir(folder.disk, { recursive: true, mode: 0o700 });
  }

  private async claimUid(runId: string): Promise<number | null> {
    return this.mode === 'root' ? this.options.uids.claim(runId) : null;
  }

  private folder(runId: string): RunFolder {
    return new RunFolder(this.options.dataDir, runId);
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
