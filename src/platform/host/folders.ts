import { lstat, readdir } from 'node:fs/promises';
import { isMissing } from '../../domain/system-error.js';
import { leadingRowId } from '../../domain/uuid.js';

/** A link to a folder is none. */
export async function isFolder(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Names of all that is directly in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  return noneIfMissing(readdir(folder));
}

/** Ids of rows with which names directly in a folder begin, each once; none where the folder is not there. */
export async function rowIdsIn(folder: string): Promise<string[]> {
  const ids = (await namesIn(folder)).map(leadingRowId);
  return [...new Set(ids.filter((id) => id !== null))];
}

/** Names of the folders directly in a folder, in order; none where it is not there. */
export async function foldersIn(folder: string): Promise<string[]> {
  const entries = await noneIfMissing(readdir(folder, { withFileTypes: true }));
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted();
}

async function noneIfMissing<Entry>(listing: Promise<Entry[]>): Promise<Entry[]> {
  try {
    return await listing;
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
