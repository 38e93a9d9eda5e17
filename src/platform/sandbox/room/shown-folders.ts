import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { MOUNT_PROGRAM, mountPoints, unmountDetached } from '../disk/mounts.js';

/** As the mounting program has them. Their names are all that the kernel ever shows of where the folders are. */
const [FOLDER_FD, EMPTY_FD] = [3, 4];

/**
 * Mounts folders so that their place stays hidden: a mount reveals to a sandbox where its source lies in its file system, and the
 * source of a read-only overlay lies at the root of a file system of its own. Only root can do this, and only for folders that do
 * not change while they are shown.
 */
export class ShownFolders {
  /** @param home a folder of the run that nobody else uses */
  constructor(private readonly home: string) {}

  /**
   * Shows each folder that is not shown yet; null stays null.
   * @returns where each of them is shown, until {@link hide}; what a sandbox has mounted by then stays
   * @throws SandgateError `sandbox_failed` with what the system says
   */
  async show<K extends string>(folders: Record<K, string | null>): Promise<Record<K, string | null>> {
    await mkdir(join(this.home, 'empty'), { recursive: true, mode: 0o700 });
    const shown = await this.places();
    const entries = Object.entries<string | null>(folders).map(async ([name, folder]) => {
      if (folder === null) return [name, null];
      const place = join(this.home, name);
      if (shown.includes(place)) return [name, place];
      await mkdir(place, { recursive: true, mode: 0o700 });
      await mountOverlay(folder, join(this.home, 'empty'), place);
      return [name, place];
    });
    return Object.fromEntries(await Promise.all(entries)) as Record<K, string | null>;
  }

  /** Takes them away from the host. Absent is success. */
  async hide(): Promise<void> {
    await Promise.all((await this.places()).map(unmountDetached));
  }

  private async places(): Promise<string[]> {
    return (await mountPoints()).filter((place) => place.startsWith(`${this.home}/`));
  }
}

/** An overlay needs two layers; the second one is empty. */
async function mountOverlay(folder: string, empty: string, place: string): Promise<void> {
  await using source = await open(folder);
  await using nothing = await open(empty);
  const layers = `lowerdir=/proc/self/fd/${FOLDER_FD}:/proc/self/fd/${EMPTY_FD}`;
  const argv = ['-t', 'overlay', '-o', `ro,nosuid,nodev,${layers}`, 'sandgate', place];
  const child = spawn('mount', argv, {
    ...MOUNT_PROGRAM,
    stdio: ['ignore', 'ignore', 'pipe', source.fd, nothing.fd],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new SandgateError('sandbox_failed', `a folder could not be shown: ${said.trim()}`);
}
