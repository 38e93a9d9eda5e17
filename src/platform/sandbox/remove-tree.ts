import { constants } from 'node:fs';
import { chmod, lstat, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { codeOf } from './system-error.js';

/** Opens a folder as a mere reference, also one without any permission. Node does not name the flag. */
const O_PATH = 0o10000000;
const SLASH = Buffer.from('/');

/**
 * Deletes a tree that an agent wrote, without following a link and however deep it is: each folder found is first moved to the
 * top, so that no path grows longer than two names, and folders without permissions are opened up. Names may be any bytes.
 * Nobody may write to the tree meanwhile. Missing is success.
 * @throws the file system's error when something cannot be removed, a mount for one
 */
export async function removeTree(path: string): Promise<void> {
  if (!isAbsolute(path) || path === '/') throw new Error(`refusing to delete ${path}`);
  const entry = await lstat(path).catch(ignoreMissing);
  if (entry === undefined) return;
  if (!entry.isDirectory()) return unlink(path);
  await openUp(path);
  const queue: Buffer[] = [];
  const counter = { next: 0 };
  await emptyFolder(Buffer.from(path), Buffer.from(path), counter, queue);
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    await emptyFolder(folder, Buffer.from(path), counter, queue);
    await rmdir(folder);
  }
  await rmdir(path);
}

/** Unlinks the files of one folder and moves its folders to the top, where they wait in `queue`. */
async function emptyFolder(folder: Buffer, top: Buffer, counter: { next: number }, queue: Buffer[]): Promise<void> {
  const entries: { path: Buffer; isFolder: boolean }[] = [];
  for await (const entry of await opendir(folder, { encoding: 'buffer' as BufferEncoding })) {
    entries.push({
      path: Buffer.concat([folder, SLASH, entry.name as unknown as Buffer]),
      isFolder: entry.isDirectory(),
    });
  }
  for (const { path, isFolder } of entries) {
    if (!isFolder) await unlink(path);
    else queue.push(await hoist(path, top, counter));
  }
}

async function hoist(path: Buffer, top: Buffer, counter: { next: number }): Promise<Buffer> {
  await openUp(path);
  for (;;) {
    const target = Buffer.concat([top, SLASH, Buffer.from(`.sandgate-removed-${counter.next++}`)]);
    // Renaming onto an empty folder would replace it, so a name that is taken is skipped.
    if ((await lstat(target).catch(ignoreMissing)) !== undefined) continue;
    await rename(path, target);
    return target;
  }
}

/** Gives us back a folder whose owner took its own permissions away. */
async function openUp(path: string | Buffer): Promise<void> {
  const folder = await open(path, constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH);
  try {
    await chmod(join('/proc/self/fd', String(folder.fd)), 0o700);
  } finally {
    await folder.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}
