import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type {
  ProviderReport,
  RunOutput,
  SandboxExit,
  SandboxHandle,
  SandboxProvider,
  SandboxSpec,
  SandboxState,
} from '../provider.js';
import type { UidAllocator } from '../uid-allocator.js';
import { removeTree } from '../../host/remove-tree.js';
import { isFolder, namesIn } from '../../host/folders.js';
import { planeRoot } from '../../host/plane-socket-path.js';
import { toolsFolder } from '../../packages/tools/tool-folder.js';
import type { Runtime } from '../runtime.js';
import type { WorkspaceFolders } from '../../workspace/index.js';
import { isMissing } from '../../../domain/system-error.js';
import type { SandboxMode } from './arguments.js';
import { BlankDisks } from '../disk/blank-disks.js';
import { checkHost } from './check-host.js';
import { fromHandle, toHandle } from './handle.js';
import type { Host } from './host.js';
import { withLaunchLock } from './launch-lock.js';
import { findLive } from './live-sandbox.js';
import { launchSandbox } from './launch.js';
import { removeGroups } from './limits/cgroup-limiter.js';
import { createOwnedFolder, deleteImage, formatImage, mountDisk, unmountDisk } from '../disk/loop-disk.js';
import { isMountPoint } from '../disk/mounts.js';
import { awaitRingClosed, readRing, RING_BYTES } from './output-ring.js';
import { currentBootId, isAlive } from '../../host/process-identity.js';
import { resolveInside } from './refuse-links.js';
import { isRunId, RunFolder } from './run-folder.js';
import { runnerPlan, type MountedFolders } from './runner-plan.js';
import { ShownFolders } from './shown-folders.js';
import { killSandbox, readState, superviseUntilExit } from './supervise.js';

const MIB = 1024 * 1024;

export interface BubblewrapOptions {
  dataDir: string;
  host: Host;
  runtime: Runtime;
  uids: UidAllocator;
  /** The folder with the program of a harness, or null for a harness that needs none. */
  programOf: (harness: string) => Promise<string | null>;
  /** The directory of a run that holds `plane.sock`. */
  planeOf: (runId: string) => string;
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
export class BubblewrapProvider implements SandboxProvider, WorkspaceFolders {
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

  async reserve(runId: string, sizes: SandboxSizes): Promise<void> {
    const folder = this.folder(runId);
    await folder.create();
    // A failure of one waits for the other: a disk that is still being made would block the release that follows.
    const [uid, ...made] = await Promise.allSettled([
      this.claimUid(runId),
      this.makeDisk(folder, sizes.disk_mb),
      this.showStanding(folder),
    ]);
    if (uid.status === 'rejected') throw uid.reason;
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    await createOwnedFolder(folder.workspace, uid.value);
  }

  workspaceFolder(runId: string): string {
    return this.folder(runId).workspace;
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

  async listRemains(): Promise<string[]> {
    return (await namesIn(join(this.options.dataDir, 'runs'))).filter(isRunId);
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
    const live = await findLive(folder);
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
      this.show(shown, { runtime: this.options.runtime.dir, tools: toolsDir, harness: folders.harness }),
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
          spec,
          mounted: { ...folders, harness: readOnly.harness },
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
      const remains = await findLive(folder);
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

  /** Prepares the folders that every run mounts, while its disk is being made. */
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

  private async resolveFolders({ runId, harness }: SandboxSpec): Promise<MountedFolders> {
    const { dataDir, planeOf, programOf } = this.options;
    const plane = await resolveInside(planeRoot(dataDir), planeOf(runId));
    // The run's uid must get in, and bubblewrap without its rights too, whatever the umask of the one who made the folder.
    const workspace = await resolveInside(dataDir, this.workspaceFolder(runId));
    if (this.mode === 'root') await Promise.all([chmod(plane, 0o755), chmod(workspace, 0o711)]);
    const program = await programOf(harness);
    return { workspace, plane, harness: program === null ? null : await resolveInside(dataDir, program) };
  }

  /** If a link stood in its place, its target would be mounted. */
  private async findTools(): Promise<string | null> {
    const folder = toolsFolder(this.options.dataDir);
    return (await isFolder(folder)) ? folder : null;
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
