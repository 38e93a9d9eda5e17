import { chmod, chown, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../domain/system-error.js';
import type { Confine } from '../../host/confine.js';
import { pathExists } from '../../host/path-exists.js';
import { removeTree } from '../../host/remove-tree.js';
import { createOwnedFolder } from '../disk/loop-disk.js';
import type { Capture, KeptLayer, SetupLayers } from '../setup-layers.js';
import { LayerFiles, takenBy, type LayerRuns } from './layer-files.js';
import { LayerImages } from './layer-images.js';
import { LayerMounts } from './layer-mounts.js';
import { unchangedFileDigest } from './unchanged-file.js';

/** Where a provider that shares this host's file system has its runs. */
export interface LayerFolders extends LayerRuns {
  /** Host uid that the run's processes have, or null when it is the uid of this process. */
  workspaceOwner(runId: string): Promise<number | null>;
}

interface FolderLayersOptions {
  dataDir: string;
  folders: LayerFolders;
  confine: Confine;
  /** Names everything of this host that results of commands depend on. */
  environment: (image: string) => Promise<string>;
}

/** Layers as images in `<data>/layers`, mounted beneath workspaces that are folders of this host. Only root can mount them. */
export class FolderLayers implements SetupLayers {
  private readonly images: LayerImages;
  private readonly files: LayerFiles;

  constructor(private readonly on: FolderLayersOptions) {
    this.images = new LayerImages(on.confine);
    this.files = new LayerFiles(on.dataDir, on.folders);
  }

  environment(image: string): Promise<string> {
    return this.on.environment(image);
  }

  async lay(runId: string, { id, contentDigest }: KeptLayer): Promise<boolean> {
    const image = this.files.image(id);
    if (!(await pathExists(image)) || (await unchangedFileDigest(image)) !== contentDigest) return false;
    await this.mounts(runId).lay(id, image, await this.on.folders.workspaceOwner(runId));
    return true;
  }

  async watch(runId: string): Promise<void> {
    await this.mounts(runId).watch(await this.on.folders.workspaceOwner(runId));
  }

  async capture(runId: string, layerId: string): Promise<Capture> {
    const mounts = this.mounts(runId);
    const { workspace, home } = this.on.folders.layerPlaces(runId);
    const uid = await this.on.folders.workspaceOwner(runId);
    if (!(await this.images.isWhole(mounts.base, workspace, uid)))
      return { kept: false, reason: 'a setup command removed what the repository holds' };
    const added = join(mounts.added, 'workspace');
    const own = { from: join(added, '.git'), to: `${mounts.added}.git` };
    await mounts.pause();
    // The agent's repository is made for each run; a layer has none.
    await moveIfThere(own.from, own.to);
    const capture = await this.pack(layerId, { base: mounts.base, added: mounts.added, home }, uid).catch(
      (cause: unknown): Capture => ({ kept: false, reason: 'its image could not be made', cause }),
    );
    await moveIfThere(own.to, own.from);
    await mounts.mountWatched();
    return capture;
  }

  remove(layerId: string): Promise<void> {
    return this.files.remove(layerId);
  }

  list(): Promise<string[]> {
    return this.files.list();
  }

  listUsed(): Promise<string[]> {
    return this.files.listUsed();
  }

  /** Home stands beside the workspace for the moment in which both are packed. */
  private async pack(
    layerId: string,
    { base, added, home }: { base: string; added: string; home: string },
    uid: number | null,
  ): Promise<Capture> {
    const holds = await this.images.prepare({ base, workspace: join(added, 'workspace'), home }, uid);
    if (typeof holds === 'string') return { kept: false, reason: holds };
    const [draft, image] = [this.files.draft(layerId), this.files.image(layerId)];
    const made = join(draft, 'layer.img');
    await mkdir(this.files.folder, { recursive: true, mode: 0o700 });
    await createOwnedFolder(draft, uid);
    await rename(home, join(added, 'home'));
    try {
      await this.images.make(added, made, holds, uid);
    } finally {
      await rename(join(added, 'home'), home);
    }
    await chown(made, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await chmod(made, 0o400);
    await rename(made, image);
    await removeTree(draft);
    const bytes = (await takenBy(image)) ?? 0;
    return { kept: true, contentDigest: await unchangedFileDigest(image), bytes, files: holds.files };
  }

  private mounts(runId: string): LayerMounts {
    return new LayerMounts(this.on.folders.layerPlaces(runId));
  }
}

/** Within one file system; the name itself may be a link. */
async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
