import { chmod, mkdir, mkdtemp, readdir, rename, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isMissing, isSystemError } from '../../../domain/system-error.js';
import { isFolder } from '../../host/folders.js';
import { removeTree } from '../../host/remove-tree.js';

const STAGING = '.packages-';
/** A folder that an installation left behind when it was killed. */
const STALE_MS = 60 * 60_000;

/**
 * Fills a folder of the state folder apart from its place and moves it there: it appears whole or not at all. One that another
 * process placed meanwhile stays, since it is the same. Everybody may read it, except a file whose path in it `executeOnly` matches.
 * @returns what `fill` answered
 */
export async function placeFolder<T>(
  dataDir: string,
  target: string,
  fill: (folder: string) => Promise<T>,
  executeOnly?: RegExp,
): Promise<T> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await removeStale(dataDir);
  const staging = await mkdtemp(join(dataDir, STAGING));
  try {
    const result = await fill(staging);
    await openToAll(staging, executeOnly);
    await openFoldersAbove(dataDir, target);
    await renameUnlessPlaced(staging, target);
    return result;
  } finally {
    await removeTree(staging);
  }
}

/** Removes a placed folder atomically and deletes it; false when it was not there. */
export async function removePlaced(dataDir: string, target: string): Promise<boolean> {
  if (!(await isFolder(target))) return false;
  const aside = await mkdtemp(join(dataDir, STAGING));
  try {
    await rename(target, join(aside, 'removed'));
    return true;
  } catch (error) {
    // Another process removed it meanwhile.
    if (!isMissing(error)) throw error;
    return false;
  } finally {
    await removeTree(aside);
  }
}

async function renameUnlessPlaced(staging: string, target: string): Promise<void> {
  try {
    await rename(staging, target);
  } catch (error) {
    if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}

/** Runs have uids of their own; the state folder above keeps other users of the host out. */
async function openToAll(folder: string, executeOnly?: RegExp): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    else if (entry.isFile() && executeOnly?.test(relative(folder, path)) === true) await chmod(path, 0o711);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

async function openFoldersAbove(dataDir: string, target: string): Promise<void> {
  let folder = dataDir;
  for (const name of relative(dataDir, dirname(target)).split(sep)) {
    folder = join(folder, name);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o755);
  }
}

async function removeStale(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    if (name.startsWith(STAGING) && (await isStale(path))) await removeTree(path);
  }
}

/** One that is being installed right now may be gone the next moment. */
async function isStale(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > STALE_MS;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
