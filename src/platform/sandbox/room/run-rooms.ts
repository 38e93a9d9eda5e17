import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import { isMissing } from '../../../domain/system-error.js';
import { isFolder } from '../../host/folders.js';
import { planeRoot } from '../../host/plane-socket-path.js';
import { removeTree } from '../../host/remove-tree.js';
import { toolsFolder } from '../../packages/tools/tool-folder.js';
import type { WorkspaceFolders } from '../../workspace/index.js';
import { BlankDisks } from '../disk/blank-disks.js';
import { createOwnedFolder, deleteImage, formatImage, mountDisk, unmountDisk } from '../disk/loop-disk.js';
import { isMountPoint } from '../disk/mounts.js';
import type { LayerFolders } from '../layers/folder-layers.js';
import { LayerMounts, type LayerPlaces } from '../layers/layer-mounts.js';
import type { SandboxSpec } from '../provider.js';
import type { Runtime } from '../runtime.js';
import type { UidAllocator } from '../uid-allocator.js';
import { resolveInside } from './refuse-links.js';
import { listRuns, RunFolder } from './run-folder.js';
import type { MountedFolders } from './run-mounts.js';
import { ShownFolders } from './shown-folders.js';

const MIB = 1024 * 1024;

/** What this host allows; a later trial may find less. */
export interface RoomAbilities {
  /** Each run has a host uid of its own, because this process is root. */
  hasRunUids: boolean;
  /** Sized disk images can be mounted. */
  hasLoopDisks: boolean;
  /** Folders can be mounted without a sandbox seeing where they are. */
  hidesPaths: boolean;
}

/** A layer lies beneath a workspace as an overlay on the run's own disk. */
export function canKeepSetups({ hasRunUids, hasLoopDisks, hidesPaths }: RoomAbilities): boolean {
  return hasRunUids && hasLoopDisks && hidesPaths;
}

export interface RunRoomsOptions {
  dataDir: string;
  runtime: Runtime;
  uids: UidAllocator;
  /** The folder with the program of a harness, or null for a harness that needs none. */
  programOf: (harness: string) => Promise<string | null>;
  /** The directory of a run that holds `plane.sock`. */
  planeOf: (runId: string) => string;
  /** What every sandbox may read of this host; see {@link openCaches}. */
  caches?: Readonly<Record<string, string>>;
  host: RoomAbilities;
}

/**
 * What runs have of this host apart from their processes: a folder with a workspace of limited size, a uid, and the folders that are
 * mounted into their sandboxes. For every provider whose sandboxes mount folders of this host. All state is in files.
 */
export class RunRooms implements WorkspaceFolders, LayerFolders {
  private readonly hiding = new Map<string, Promise<void>>();
  private readonly disks: BlankDisks;

  constructor(private readonly options: RunRoomsOptions) {
    this.disks = new BlankDisks(join(options.dataDir, 'blank-disks'), formatImage);
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
    if (!(await this.mountsOf(runId).reopen())) return null;
    return (await sizeOf(folder.workspace)) === null ? null : folder.workspace;
  }

  /** Whether layers can lie beneath workspaces here: as overlays on the disks of runs. */
  get keepsSetups(): boolean {
    return canKeepSetups(this.options.host);
  }

  layerPlaces(runId: string): LayerPlaces {
    const { root, disk, workspace, home } = this.folder(runId);
    return { root, disk, workspace, home };
  }

  workspaceOwner(runId: string): Promise<number | null> {
    return this.claimUid(runId);
  }

  /** Host uid of a run's processes, or null when it is that of this process. */
  async claimUid(runId: string): Promise<number | null> {
    return this.options.host.hasRunUids ? this.options.uids.claim(runId) : null;
  }

  /** A `folder` has no quota of its own and is sampled. */
  async diskOf(runId: string): Promise<'image' | 'folder'> {
    return (await isMountPoint(this.folder(runId).disk)) ? 'image' : 'folder';
  }

  /**
   * The folders that a sandbox of the run mounts, as root from places that tell it nothing of where they are. Valid until {@link hide}; what
   * a sandbox has mounted by then stays.
   * @throws SandgateError `invalid_request` for one that leads through a link
   */
  async show({ runId, harness, keepsHome }: SandboxSpec): Promise<MountedFolders> {
    const { caches = {}, dataDir, host, planeOf, programOf, runtime } = this.options;
    const program = await programOf(harness);
    const [plane, workspace, home, inside, tools] = await Promise.all([
      resolveInside(planeRoot(dataDir), planeOf(runId)),
      resolveInside(dataDir, this.workspaceFolder(runId)),
      keepsHome === true ? this.makeHome(runId) : null,
      program === null ? null : resolveInside(dataDir, program),
      this.findTools(),
    ]);
    // The run's uid must get in, and who mounts it without its rights too, whatever the umask of the one who made the folder.
    if (host.hasRunUids) await Promise.all([chmod(plane, 0o755), chmod(workspace, 0o711)]);
    const hidden = { runtime: runtime.dir, tools, harness: inside };
    if (!host.hidesPaths) return { ...hidden, caches, plane, workspace, home };
    await this.hiding.get(runId);
    const shown = await this.shown(runId).show<keyof typeof hidden>(hidden);
    return { ...shown, runtime: shown.runtime ?? runtime.dir, caches, plane, workspace, home };
  }

  /** The same for one more folder of the run, under a name of its own. */
  async showFolder(runId: string, name: string, folder: string): Promise<string> {
    if (!this.options.host.hidesPaths) return folder;
    return (await this.shown(runId).show({ [name]: folder }))[name] ?? folder;
  }

  /** Takes what {@link show} made away from the host, without making anybody wait; what could not be removed is removed with the run. */
  hide(runId: string): void {
    this.hiding.set(
      runId,
      this.shown(runId)
        .hide()
        .catch(() => undefined),
    );
  }

  /** Runs that have a folder here. */
  list(): Promise<string[]> {
    return listRuns(this.options.dataDir);
  }

  /** Deletes everything of a run whose processes are gone. */
  async giveBack(runId: string): Promise<void> {
    const folder = this.folder(runId);
    await this.hiding.get(runId);
    this.hiding.delete(runId);
    await this.shown(runId).hide();
    await this.mountsOf(runId).unmount();
    await unmountDisk(folder.disk);
    await deleteImage(folder.image);
    await removeTree(folder.root);
    if (this.options.host.hasRunUids) await this.options.uids.release(runId);
    await this.disks.prepare();
  }

  /** Prepares the folders that every run mounts, while its disk is being made. */
  private async showStanding({ runId }: RunFolder): Promise<void> {
    if (!this.options.host.hidesPaths) return;
    await this.shown(runId).show({ runtime: this.options.runtime.dir, tools: await this.findTools() });
  }

  private async makeHome(runId: string): Promise<string> {
    const { home } = this.folder(runId);
    await createOwnedFolder(home, await this.claimUid(runId));
    return resolveInside(this.options.dataDir, home);
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

  private mountsOf(runId: string): LayerMounts {
    return new LayerMounts(this.layerPlaces(runId));
  }

  private shown(runId: string): ShownFolders {
    return new ShownFolders(this.folder(runId).shown);
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
