import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, lstat, open, rename, rmdir, unlink } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from './directory-handle.js';

const PARALLEL_STEPS = 32;
/** Opening with `O_PATH` needs no permission on the directory itself; Node does not name the constant. */
const O_PATH = 0o10000000;

/**
 * Deletes a tree that an agent wrote (docs/design/workspaces.md): no link is followed, no other file system is entered, no depth and no
 * missing permission of its owner stops it. A tree that is gone already is a success. Repeatable after any interruption, and while
 * somebody else removes the same tree.
 *
 * @throws SandgateError `unavailable` when something stays, for example a mount point
 */
export async function removeTree(path: string): Promise<void> {
  if (!isAbsolute(path) || path === '/') throw new TypeError(`refusing to delete ${path}`);
  try {
    if (!(await lstat(path)).isDirectory()) return await unlink(path);
    await emptyTree(path);
    await rmdir(path);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw asUnavailable(path, error);
  }
}

/** Like {@link removeTree}, but the folder itself stays: it may be a mount point. */
export async function emptyTree(path: string): Promise<void> {
  await using root = await openEnterable(path);
  const flattening = new Flattening(root);
  try {
    while (await flattening.round());
  } catch (error) {
    throw asUnavailable(path, error);
  }
}

/**
 * Moves every nested directory up to the root before it is emptied, so that depth never exceeds two, at one rename a directory
 * and a bounded number of descriptors.
 */
class Flattening {
  private readonly prefix = `.removing-${randomBytes(8).toString('hex')}-`;
  private moved = 0;

  constructor(private readonly root: DirectoryHandle) {}

  /** Removes the current contents of the root; returns whether there was anything. */
  async round(): Promise<boolean> {
    let found = false;
    const steps = new StepBatch();
    for await (const entry of this.root.entries()) {
      found = true;
      const isDirectory = await this.root.isDirectory(entry);
      await steps.add(() => unlessGone(isDirectory ? this.dissolve(entry.name) : unlink(this.root.at(entry.name))));
    }
    await steps.flush();
    return found;
  }

  private async dissolve(name: Buffer): Promise<void> {
    await this.moveContentUp(name);
    try {
      await rmdir(this.root.at(name));
    } catch (error) {
      // Removing entries while a huge directory is read may hide others; the next round finds them.
      if (!isSystemError(error, 'ENOTEMPTY')) throw error;
    }
  }

  private async moveContentUp(name: Buffer): Promise<void> {
    await using directory = await openEnterable(this.root.at(name));
    if (directory.stats.dev !== this.root.stats.dev) {
      throw new Error(`${JSON.stringify(name.toString())} is a mount point`);
    }
    const steps = new StepBatch();
    for await (const entry of directory.entries()) {
      const isDirectory = await directory.isDirectory(entry);
      await steps.add(() =>
        unlessGone(isDirectory ? this.moveUp(directory, entry.name) : unlink(directory.at(entry.name))),
      );
    }
    await steps.flush();
  }

  private async moveUp(parent: DirectoryHandle, name: Buffer): Promise<void> {
    const target = this.root.at(`${this.prefix}${this.moved++}`);
    try {
      await rename(parent.at(name), target);
    } catch (error) {
      if (!isSystemError(error, 'EACCES')) throw error;
      // Moving a directory rewrites its `..`, which its own mode must allow.
      await makeEnterable(parent.at(name));
      await rename(parent.at(name), target);
    }
  }
}

/** What two remove at once is gone for one of them. */
async function unlessGone(step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!isSystemError(error, 'ENOENT')) throw error;
  }
}

/**
 * Runs a few steps at a time and waits for each, also when one fails: a step under way names its folder by a descriptor, which
 * must not be closed and used for another folder meanwhile.
 */
class StepBatch {
  private steps: (() => Promise<void>)[] = [];

  async add(step: () => Promise<void>): Promise<void> {
    this.steps.push(step);
    if (this.steps.length >= PARALLEL_STEPS) await this.flush();
  }

  async flush(): Promise<void> {
    const steps = this.steps;
    this.steps = [];
    const failed = (await Promise.allSettled(steps.map((step) => step()))).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }
}

async function openEnterable(path: string | Buffer): Promise<DirectoryHandle> {
  let directory: DirectoryHandle;
  try {
    directory = await DirectoryHandle.open(path);
  } catch (error) {
    if (!isSystemError(error, 'EACCES')) throw error;
    await makeEnterable(path);
    directory = await DirectoryHandle.open(path);
  }
  if ((directory.stats.mode & 0o700n) !== 0o700n) await directory.chmod(0o700);
  return directory;
}

/** Gives the owner back the right to list and change a directory; never reaches through a link. */
async function makeEnterable(path: string | Buffer): Promise<void> {
  const handle = await open(path, O_PATH | constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    await chmod(`/proc/self/fd/${handle.fd}`, 0o700);
  } finally {
    await handle.close();
  }
}

function asUnavailable(path: string, error: unknown): SandgateError {
  if (error instanceof SandgateError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new SandgateError('unavailable', `${path} could not be removed: ${reason}`, { cause: error });
}
