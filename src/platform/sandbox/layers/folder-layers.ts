import { chmod, chown, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { isMissing } from '../../../domain/system-error.js';
import { isRowId } from '../../../domain/uuid.js';
import type { Confine } from '../../host/confine.js';
import { namesIn } from '../../host/folders.js';
import { pathExists } from '../../host/path-exists.js';
import { removeTree } from '../../host/remove-tree.js';
import { createOwnedFolder } from '../disk/loop-disk.js';
import type { Capture, KeptLayer, SetupLayers } from '../setup-layers.js';
import { LayerImages } from './layer-image.js';
import { LayerMounts, type LayerPlaces } from './layer-mounts.js';
import { forgetFileDigest, unchangedFileDigest } from './unchanged-file.js';

const ID_LENGTH = 36;
/** Of what a file takes of its disk, holes left out. */
const SECTOR = 512;

/** Where a provider that shares this host's file system has its runs. */
export interface LayerFolders {
  layerPlaces(runId: string): LayerPlaces;
  /** Host uid that the run's processes have, or null when it is the uid of this process. */
  workspaceOwner(runId: string): Promise<number | null>;
  /** Runs of which anything is on this host. */
  list(): Promise<string[]>;
}

interface FolderLayersOptions {
  dataDir: string;
  folders: LayerFolders;
  confine: Confine;
  /** Names everything of this host that results of commands depend on. */
  environment: () => Promise<string>;
}

/** Layers as images in `<data>/layers`, mounted beneath workspaces that are folders of this host. Only root can mount them. */
export class FolderLayers implements SetupLayers {
  private readonly images: LayerImages;
  private readonly home: string;

  constructor(private readonly on: FolderLayersOptions) {
    this.images = new LayerImages(on.confine);
    this.home = join(on.dataDir, 'layers');
  }

  environment(): Promise<string> {
    return this.on.environment();
  }

  async lay(runId: string, { id, contentDigest }: KeptLayer): Promise<boolean> {
    const image = this.image(id);
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

  async remove(layerId: string): Promise<void> {
    const image = this.image(layerId);
    forgetFileDigest(image);
    await rm(image, { force: true });
    await removeTree(this.draft(layerId));
  }

  async list(): Promise<string[]> {
    const names = await namesIn(this.home);
    return [...new Set(names.map((name) => name.slice(0, ID_LENGTH)).filter(isRowId))];
  }

  async listUsed(): Promise<string[]> {
    const runs = await this.on.folders.list();
    const layers = await Promise.all(runs.map((runId) => this.mounts(runId).layerId()));
    return layers.filter((id) => id !== null);
  }

  /** Home stands beside the workspace for the moment in which both are packed. */
  private async pack(
    layerId: string,
    { base, added, home }: { base: string; added: string; home: string },
    uid: number | null,
  ): Promise<Capture> {
    const holds = await this.images.inspect({ base, workspace: join(added, 'workspace'), home }, uid);
    if (typeof holds === 'string') return { kept: false, reason: holds };
    const draft = this.draft(layerId);
    await mkdir(this.home, { recursive: true, mode: 0o700 });
    await createOwnedFolder(draft, uid);
    await rename(home, join(added, 'home'));
    try {
      await this.images.make(added, draft, holds, uid);
    } finally {
      await rename(join(added, 'home'), home);
    }
    const made = join(draft, 'layer.img');
    await chown(made, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    await chmod(made, 0o400);
    await rename(made, this.image(layerId));
    await removeTree(draft);
    const image = this.image(layerId);
    const bytes = (await stat(image)).blocks * SECTOR;
    return { kept: true, contentDigest: await unchangedFileDigest(image), bytes, files: holds.files };
  }

  private mounts(runId: string): LayerMounts {
    return new LayerMounts(this.on.folders.layerPlaces(runId));
  }

  private image(layerId: string): string {
    if (!isRowId(layerId)) throw new SandgateError('invalid_request', 'this is not the id of a layer');
    return join(this.home, `${layerId}.img`);
  }

  private draft(layerId: string): string {
    return `${this.image(layerId)}.draft`;
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
