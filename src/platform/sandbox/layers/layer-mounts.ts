import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../domain/system-error.js';
import { isFolder } from '../../host/folders.js';
import { pathExists } from '../../host/path-exists.js';
import { createOwnedFolder, unmountDisk } from '../disk/loop-disk.js';
import { isMountPoint, runMountProgram } from '../disk/mounts.js';
import { mountOverlay } from '../disk/overlay.js';

/** Where a run of this host has what layers need. */
export interface LayerPlaces {
  /** The run's own folder, on the host's file system. */
  root: string;
  /** Its mounted disk. */
  disk: string;
  /** On that disk. */
  workspace: string;
  home: string;
}

/** How the workspace of a run is put together. `image` is the file of the layer beneath it. */
type LayerState = { kind: 'watched' } | { kind: 'laid'; layerId: string; image: string };

/**
 * How the workspace of one run is put together of folders and a layer (docs/design/setup.md). What the run began with lies in `base`.
 * While a setup is watched it is covered by `added`, which takes every change; above a layer it takes every change itself.
 */
export class LayerMounts {
  /** What the run began with. */
  readonly base: string;
  /** Holds what was added: `workspace`, and for the making of an image `home`. */
  readonly added: string;
  private readonly layer: string;
  private readonly record: string;

  constructor(private readonly places: LayerPlaces) {
    this.base = join(places.disk, 'base');
    this.added = join(places.disk, 'added');
    this.layer = join(places.root, 'layer');
    this.record = join(places.root, 'layers.json');
  }

  /** The layer that the run is based on, or null. */
  async layerId(): Promise<string | null> {
    const state = await this.readState();
    return state?.kind === 'laid' ? state.layerId : null;
  }

  async watch(uid: number | null): Promise<void> {
    await this.setBaseAside();
    await this.makeFolders(uid);
    await this.writeState({ kind: 'watched' });
    await this.mountWatched();
  }

  async lay(layerId: string, image: string, uid: number | null): Promise<void> {
    await this.setBaseAside();
    await this.makeFolders(uid);
    await this.writeState({ kind: 'laid', layerId, image });
    await this.mountLaid(image);
  }

  /** Takes the overlay away for a moment, so that its folders can be read and changed. */
  async pause(): Promise<void> {
    await unmountDisk(this.places.workspace);
  }

  async mountWatched(): Promise<void> {
    const { workspace } = this.places;
    if (await isMountPoint(workspace)) return;
    await mountOverlay(
      { lower: this.base, upper: join(this.added, 'workspace'), work: this.work('workspace') },
      workspace,
    );
  }

  /** Puts it together again after a reboot of the host. False where the layer is gone. */
  async reopen(): Promise<boolean> {
    const state = await this.readState();
    if (state === null) return true;
    if (state.kind === 'watched') await this.mountWatched();
    else if (await pathExists(state.image)) await this.mountLaid(state.image);
    else return false;
    return true;
  }

  /** Takes every mount away. Absent is success. */
  async unmount(): Promise<void> {
    const { workspace, home } = this.places;
    for (const place of [workspace, home, this.layer]) await unmountDisk(place);
  }

  private async mountLaid(image: string): Promise<void> {
    const { workspace, home } = this.places;
    await mkdir(this.layer, { recursive: true, mode: 0o700 });
    // Runs with the same layer share its loop device, and the kernel frees it with the last of them.
    if (!(await isMountPoint(this.layer)))
      await runMountProgram('mount', ['-t', 'ext4', '-o', 'loop,ro,nosuid,nodev,noatime', image, this.layer]);
    if (!(await isMountPoint(workspace)))
      await mountOverlay(
        { lower: join(this.layer, 'workspace'), upper: this.base, work: this.work('workspace') },
        workspace,
      );
    if (!(await isMountPoint(home)))
      await mountOverlay(
        { lower: join(this.layer, 'home'), upper: join(this.added, 'home'), work: this.work('home') },
        home,
      );
  }

  /** The agent has not been there yet, so every name on the way is ours. */
  private async setBaseAside(): Promise<void> {
    if (!(await isFolder(this.base))) await rename(this.places.workspace, this.base);
  }

  private async makeFolders(uid: number | null): Promise<void> {
    for (const work of ['workspace', 'home']) await mkdir(this.work(work), { recursive: true, mode: 0o700 });
    await mkdir(this.added, { recursive: true });
    await chmod(this.added, 0o755);
    const { workspace, home } = this.places;
    for (const folder of [workspace, home, join(this.added, 'workspace'), join(this.added, 'home')])
      await createOwnedFolder(folder, uid);
  }

  private work(name: string): string {
    return join(this.places.disk, `work-${name}`);
  }

  private async readState(): Promise<LayerState | null> {
    try {
      return JSON.parse(await readFile(this.record, 'utf8')) as LayerState;
    } catch (error) {
      if (isMissing(error) || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  private async writeState(state: LayerState): Promise<void> {
    await writeFile(`${this.record}.new`, JSON.stringify(state), { mode: 0o600 });
    await rename(`${this.record}.new`, this.record);
  }
}
