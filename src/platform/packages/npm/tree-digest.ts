import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SandgateError } from '../../../domain/errors.js';

/** The record of an installed folder, written beside the packages and no part of their digest. */
export const RECORD = 'sandgate.json';

interface TreeEntry {
  path: string;
  kind: 'file' | 'folder';
  executable: boolean;
  bytes: number;
  /** Changes with every change of the file that its owner could make, and costs no read. */
  stamp: string;
}

/** Files and folders of the largest package that is accepted. */
const MAX_TREE_ENTRIES = 200_000;
const PORTION_BYTES = 1024 * 1024;

/**
 * `sha256:` over paths, modes and contents of a package's folder, its record left out. Links are refused: none is needed, and
 * one could lead elsewhere.
 */
export async function treeDigest(folder: string): Promise<string> {
  const tree = createHash('sha256');
  for (const entry of await readTree(folder)) {
    const content = entry.kind === 'folder' ? '' : await fileDigest(join(folder, entry.path), entry.bytes);
    tree.update(JSON.stringify([entry.path, entry.kind, entry.executable, content]));
  }
  return `sha256:${tree.digest('hex')}`;
}

/** Programs may be hundreds of megabytes and are read in portions; most files are small and many, and a stream would cost more than each. */
async function fileDigest(path: string, bytes: number): Promise<string> {
  if (bytes <= PORTION_BYTES) return hash('sha256', await readFile(path), 'hex');
  const digest = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: PORTION_BYTES }), digest);
  return digest.digest('hex');
}

/** Sum of the sizes of all files. */
export async function treeBytes(folder: string): Promise<number> {
  return (await readTree(folder)).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The same without reading any file: a tree whose stamp is unchanged has its digest of before. */
export async function treeStamp(folder: string): Promise<string> {
  const tree = createHash('sha256');
  for (const { path, stamp } of await readTree(folder)) tree.update(JSON.stringify([path, stamp]));
  return tree.digest('hex');
}

async function readTree(folder: string): Promise<TreeEntry[]> {
  const names = await readdir(folder, { recursive: true });
  if (names.length > MAX_TREE_ENTRIES)
    throw new SandgateError('invalid_request', `${folder} has ${names.length} files, more than ${MAX_TREE_ENTRIES}`);
  const entries: TreeEntry[] = [];
  for (const path of names.toSorted()) {
    if (path === RECORD) continue;
    const status = await lstat(join(folder, path), { bigint: true });
    if (!status.isFile() && !status.isDirectory())
      throw new SandgateError('invalid_request', `${join(folder, path)} is neither a file nor a folder`);
    entries.push({
      path,
      kind: status.isFile() ? 'file' : 'folder',
      executable: status.isFile() && (status.mode & 0o100n) !== 0n,
      bytes: status.isFile() ? Number(status.size) : 0,
      stamp: [status.ino, status.size, status.mtimeNs, status.ctimeNs, status.mode].join(':'),
    });
  }
  return entries;
}
