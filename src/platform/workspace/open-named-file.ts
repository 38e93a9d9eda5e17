import { readlink, type FileHandle } from 'node:fs/promises';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';

/** As many links as the kernel follows. */
const MAX_LINKS = 40;
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO'] as const;

/**
 * Opens what a path names as the sandbox sees it: its links are followed as long as they stay below the workspace, which the
 * sandbox knows as `root`. Each part is opened without following, so that the tree, which belongs to an agent, cannot redirect
 * this process. Null for what cannot be opened this way, and for what would block, like a FIFO.
 */
export async function openNamedFile(workspaceDir: string, root: string, path: string): Promise<FileHandle | null> {
  let ahead = path.split('/');
  let links = 0;
  for (;;) {
    const walked = await walk(workspaceDir, ahead);
    if (walked === null || 'file' in walked) return walked?.file ?? null;
    links += 1;
    const next = links > MAX_LINKS ? null : follow(root, walked);
    if (next === null) return null;
    ahead = next;
  }
}

/** Where a walk met a link: the parts before it, what the link says, and the parts behind it. */
interface MetLink {
  before: string[];
  target: string;
  behind: string[];
}

/** Parts of the path that the link stands for; null when it leaves the workspace. */
function follow(root: string, { before, target, behind }: MetLink): string[] | null {
  const absolute = target.startsWith('/');
  if (absolute && target !== root && !target.startsWith(`${root}/`)) return null;
  const parts = absolute ? [] : [...before];
  for (const part of [...(absolute ? target.slice(root.length) : target).split('/'), ...behind]) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts;
}

async function walk(workspaceDir: string, parts: string[]): Promise<{ file: FileHandle } | MetLink | null> {
  let directory: DirectoryHandle | null = null;
  try {
    directory = await DirectoryHandle.open(workspaceDir);
    for (const [index, part] of parts.entries()) {
      const target = await linkTarget(directory, part);
      if (target !== null) return { before: parts.slice(0, index), target, behind: parts.slice(index + 1) };
      if (index === parts.length - 1) return { file: await directory.openFile(part) };
      const child: DirectoryHandle = await directory.child(part);
      await directory[Symbol.asyncDispose]();
      directory = child;
    }
    return null;
  } catch (error) {
    if (isSystemError(error, ...ABSENT)) return null;
    throw error;
  } finally {
    await directory?.[Symbol.asyncDispose]();
  }
}

async function linkTarget(directory: DirectoryHandle, part: string): Promise<string | null> {
  try {
    return await readlink(directory.at(part), 'utf8');
  } catch (error) {
    if (isSystemError(error, 'EINVAL')) return null;
    throw error;
  }
}
