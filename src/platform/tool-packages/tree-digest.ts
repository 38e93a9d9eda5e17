import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { MANIFEST } from './tool-folder.js';

interface TreeEntry {
  path: string;
  kind: 'file' | 'folder';
  executable: boolean;
  /** Changes with every change of the file that its owner could make, and costs no read. */
  stamp: string;
}

/** Files and folders of the largest package that is accepted. */
const MAX_TREE_ENTRIES = 200_000;

/**
 * `sha256:` over paths, modes and contents of a package's folder, its record left out. Links are refused: none is needed, and
 * one could lead elsewhere.
 */
export async function treeDigest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of await readTree(folder)) {
    const content =
      entry.kind === 'folder'
        ? ''
        : createHash('sha256')
            .update(await readFile(join(folder, entry.path)))
            .digest('hex');
    hash.update(JSON.stringify([entry.path, entry.kind, entry.executable, content]));
  }
  return `sha256:${hash.digest('hex')}`;
}

/** The same without reading any file: a tree whose stamp is unchanged has its digest of before. */
export async function treeStamp(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, stamp } of await readTree(folder)) hash.update(JSON.stringify([path, stamp]));
  return hash.digest('hex');
}

async function readTree(folder: string): Promise<TreeEntry[]> {
  const names = await readdir(folder, { recursive: true });
  if (names.length > MAX_TREE_ENTRIES)
    throw new SandgateError('invalid_request', `${folder} has ${names.length} files, more than ${MAX_TREE_ENTRIES}`);
  const entries: TreeEntry[] = [];
  for (const path of names.toSorted()) {
    if (path === MANIFEST) continue;
    const status = await lstat(join(folder, path), { bigint: true });
    if (!status.isFile() && !status.isDirectory())
      throw new SandgateError('invalid_request', `${join(folder, path)} is neither a file nor a folder`);
    entries.push({
      path,
      kind: status.isFile() ? 'file' : 'folder',
      executable: status.isFile() && (status.mode & 0o100n) !== 0n,
      stamp: [status.ino, status.size, status.mtimeNs, status.ctimeNs, status.mode].join(':'),
    });
  }
  return entries;
}
