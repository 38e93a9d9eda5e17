import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OwnedWriter } from './git-folder.js';
import { removeTree } from '../host/remove-tree.js';

const MARK = '.work-';

/** A private folder beside the baseline for one operation, owned by the run's uid and removed with everything in it. */
export class ScratchFolder implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async create(baselineDir: string, uid: number | null): Promise<ScratchFolder> {
    const scratch = new ScratchFolder(await mkdtemp(`${baselineDir}${MARK}`));
    await new OwnedWriter(uid).folder(scratch.path);
    return scratch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.path);
  }
}

/** Removes the baseline of a run and what an interrupted operation left beside it. Gone already is success. */
export async function removeBaseline(baselineDir: string): Promise<void> {
  await removeScratch(baselineDir);
  await removeTree(baselineDir);
}

/** Removes the scratch folders of interrupted operations. */
async function removeScratch(baselineDir: string): Promise<void> {
  const parent = dirname(baselineDir);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const prefix = `${basename(baselineDir)}${MARK}`;
  for (const name of await readdir(parent)) {
    if (name.startsWith(prefix)) await removeTree(join(parent, name));
  }
}
