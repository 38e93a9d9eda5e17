import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../filesystem/directory-handle.js';

/** A regular file of a workspace as it was when it was measured. */
export interface MeasuredFile {
  /** Relative to the workspace. */
  path: string;
  size: number;
  /** `sha256:` + 64 hex over the content; null for a file too large to read. */
  digest: string | null;
}

/** Files beyond these are left out, so that a question is asked in bounded time. */
const MAX_FILES = 32;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO'] as const;

/**
 * Size and digest of those paths that name regular files below a workspace (06-gate §4). The tree belongs to an agent: no
 * link is followed at any part of a path and no FIFO is waited for; what cannot be opened so is not a file here.
 */
export async function measureFiles(workspaceDir: string, paths: readonly string[]): Promise<MeasuredFile[]> {
  const measured: MeasuredFile[] = [];
  for (const path of paths) {
    if (measured.length === MAX_FILES) break;
    const file = await openBelow(workspaceDir, path.split('/'));
    if (file === null) continue;
    await using handle = file;
    const stats = await handle.stat();
    if (stats.isFile())
      measured.push({ path, size: stats.size, digest: stats.size > MAX_FILE_BYTES ? null : await digestOf(handle) });
  }
  return measured;
}

async function openBelow(workspaceDir: string, segments: string[]): Promise<FileHandle | null> {
  let directory: DirectoryHandle | null = null;
  try {
    directory = await DirectoryHandle.open(workspaceDir);
    for (const segment of segments.slice(0, -1)) {
      const child: DirectoryHandle = await directory.child(segment);
      await directory[Symbol.asyncDispose]();
      directory = child;
    }
    return await directory.openFile(segments.at(-1) ?? '');
  } catch (error) {
    if (isSystemError(error, ...ABSENT)) return null;
    throw error;
  } finally {
    await directory?.[Symbol.asyncDispose]();
  }
}

async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false, start: 0, end: MAX_FILE_BYTES }))
    hash.update(chunk as Buffer);
  return `sha256:${hash.digest('hex')}`;
}
