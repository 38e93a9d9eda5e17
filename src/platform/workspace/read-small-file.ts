import { isSystemError } from '../../domain/system-error.js';
import type { DirectoryHandle } from '../host/directory-handle.js';

const MAX_SMALL_FILE_BYTES = 1024 * 1024;

/** The text of a small regular file of an open folder, undefined when there is none. */
export async function readSmallFile(folder: DirectoryHandle, name: string): Promise<string | undefined> {
  try {
    await using file = await folder.openFile(name);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > MAX_SMALL_FILE_BYTES) return undefined;
    return (await file.readFile()).toString('utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO')) return undefined;
    throw error;
  }
}
