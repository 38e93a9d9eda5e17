import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConfined as confine } from '../../../src/platform/sandbox/bubblewrap/confined.js';
import { createOwnedFolder, mountDisk, unmountDisk } from '../../../src/platform/sandbox/disk/loop-disk.js';
import { FolderLayers } from '../../../src/platform/sandbox/layers/folder-layers.js';
import { LayerMounts, type LayerPlaces } from '../../../src/platform/sandbox/layers/layer-mounts.js';

const FIRST_UID = 231_950;
/** What every workspace of the lab begins with. */
const BASE = `mkdir .git src; echo index > .git/index; echo '{}' > package.json; echo a > src/a
printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh; ln -s src/a link`;

/** Rooms of runs with real disks and layers, without their sandboxes: what commands do is done by shells with their uids. */
export class LayerLab implements AsyncDisposable {
  readonly dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'layers-')));
  readonly layers = new FolderLayers({
    dataDir: this.dataDir,
    confine,
    environment: () => Promise.resolve('the lab'),
    folders: {
      layerPlaces: (run) => this.places(run),
      workspaceOwner: (run) => Promise.resolve(this.uid(run)),
      list: () => Promise.resolve([...this.runs]),
    },
  });
  private readonly runs: string[] = [];

  async open(run: string): Promise<void> {
    this.runs.push(run);
    const { root, disk, workspace } = this.places(run);
    mkdirSync(root, { recursive: true, mode: 0o700 });
    await mountDisk(join(root, 'disk.img'), disk, 64);
    await createOwnedFolder(workspace, this.uid(run));
    this.act(run, BASE);
  }

  /** Runs a shell script as the run's uid in its workspace, which is at /mnt there, its home at /srv. */
  act(run: string, script: string): string {
    const { workspace, home } = this.places(run);
    const uid = String(this.uid(run));
    const seen = script.includes('/srv') ? ['--bind', home, '/srv'] : [];
    const identity = ['setpriv', '--reuid', uid, '--regid', uid, '--clear-groups'];
    const shell = ['bash', '-euc', `cd /mnt; ${script}`];
    const argv = ['--bind', '/', '/', '--bind', workspace, '/mnt', ...seen, ...identity, ...shell];
    return execFileSync('bwrap', argv, { encoding: 'utf8' });
  }

  mounts(run: string): LayerMounts {
    return new LayerMounts(this.places(run));
  }

  image(layerId: string): string {
    return join(this.dataDir, 'layers', `${layerId}.img`);
  }

  /** Unmounts what a reboot of the host would. */
  async reboot(run: string): Promise<void> {
    await this.mounts(run).unmount();
    await unmountDisk(this.places(run).disk);
  }

  async reopen(run: string): Promise<boolean> {
    const { root, disk } = this.places(run);
    await mountDisk(join(root, 'disk.img'), disk, 64);
    return this.mounts(run).reopen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.runs) await this.reboot(run);
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private uid(run: string): number {
    return FIRST_UID + this.runs.indexOf(run);
  }

  private places(run: string): LayerPlaces {
    const root = join(this.dataDir, 'runs', run);
    const disk = join(root, 'disk');
    return { root, disk, workspace: join(disk, 'workspace'), home: join(disk, 'home') };
  }
}
