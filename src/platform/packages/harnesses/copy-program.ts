import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { placeFolder, removePlaced } from '../npm/placed-folder.js';
import { isSystemError } from '../../../domain/system-error.js';
import { CLOSED_PROGRAMS } from './closed-programs.js';
import { findInstalled, programFolder, type InstalledProgram } from './installed-program.js';
import type { PinnedProgram } from './pinned-program.js';

/**
 * Puts a program that is installed under one data folder under another. On one file system the files are shared, which costs no
 * room: nobody changes them in place.
 * @throws Error when it is not installed under the first
 */
export async function copyProgram(from: string, to: string, pinned: PinnedProgram): Promise<InstalledProgram> {
  const installed = await findInstalled(from, pinned);
  if (installed === null) throw new Error(`${pinned.package} ${pinned.version} is not installed under ${from}`);
  if ((await findInstalled(to, pinned)) === null) {
    const target = programFolder(to, pinned);
    const fill = async (folder: string): Promise<void> => {
      await shareTree(programFolder(from, pinned), folder);
      // The same version by another lock file, or one whose record is damaged.
      if ((await findInstalled(to, pinned)) === null) await removePlaced(to, target);
    };
    await placeFolder(to, target, fill, CLOSED_PROGRAMS[pinned.harness]);
  }
  return installed;
}

async function shareTree(source: string, target: string): Promise<void> {
  for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const copy = join(target, relative(source, path));
    if (entry.isDirectory()) await mkdir(copy, { recursive: true });
    else await shareFile(path, copy);
  }
}

async function shareFile(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    // Another file system, one without hard links, or a file of somebody else's.
    if (!isSystemError(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP')) throw error;
    await copyFile(source, target);
  }
}
