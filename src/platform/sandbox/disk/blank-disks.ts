import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const ENV = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

/**
 * Makes blank disk images: the first of a size is formatted, the next ones are copies of it, which takes a quarter of the time, and
 * one copy lies ready. Only the size asked for last is kept. Images of an earlier process are not used, since a power cut may have
 * damaged them.
 */
export class BlankDisks {
  private kept: { path: string; sizeMb: number } | null = null;
  private spare: { path: string; sizeMb: number } | null = null;
  private clearing: Promise<void> | null = null;

  /**
   * @param folder a folder of its own on the file system of the runs
   * @param format makes a formatted image of that many MiB at a path
   */
  constructor(
    private readonly folder: string,
    private readonly format: (image: string, sizeMb: number) => Promise<void>,
  ) {}

  /** Makes an image where there is none. @throws what the programs said, for example that there is no space left */
  async make(image: string, sizeMb: number): Promise<void> {
    const { kept, spare } = this;
    if (spare?.sizeMb === sizeMb) {
      this.spare = null;
      return rename(spare.path, image);
    }
    if (kept?.sizeMb === sizeMb) return copy(kept.path, image);
    await this.format(image, sizeMb);
    await this.keep(image, sizeMb);
  }

  /** Lays the next copy ready; for a moment at which no run waits. @returns false when none could be made, which does no harm */
  async prepare(): Promise<boolean> {
    const { kept } = this;
    if (kept === null || this.spare?.sizeMb === kept.sizeMb) return true;
    const earlier = this.spare;
    const path = join(this.folder, `${randomUUID()}.img`);
    try {
      await copy(kept.path, path);
    } catch {
      // A lack of room for a spare is reported when a run needs its disk.
      return false;
    }
    this.spare = { path, sizeMb: kept.sizeMb };
    if (earlier !== null) await rm(earlier.path, { force: true });
    return true;
  }

  private async keep(image: string, sizeMb: number): Promise<void> {
    await (this.clearing ??= this.clear());
    const path = join(this.folder, `${randomUUID()}.img`);
    await copy(image, path);
    const earlier = this.kept;
    this.kept = { path, sizeMb };
    if (earlier !== null) await rm(earlier.path, { force: true });
  }

  private async clear(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }
}

/** Holes stay holes; a half-made copy never stands under the final name. */
async function copy(from: string, to: string): Promise<void> {
  const draft = `${to}.new`;
  await run('cp', ['--sparse=always', '--', from, draft], { timeout: TIMEOUT_MS, env: ENV });
  await rename(draft, to);
}
