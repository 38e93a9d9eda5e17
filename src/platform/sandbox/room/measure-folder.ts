import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, isMissing } from '../../../domain/system-error.js';

const BLOCK_BYTES = 512;
/** A walk ends here; a tree with more entries than that is over any limit. */
const MAX_ENTRIES = 500_000;

/**
 * Bytes on disk below a folder that an agent writes meanwhile, up to `enoughBytes`. Links are counted, never followed; paths
 * too long for the kernel are not entered, which a limit by file size bounds.
 */
export async function measureFolder(folder: string, enoughBytes: number): Promise<number> {
  const queue = [folder];
  let bytes = 0;
  let entries = 0;
  for (let next = queue.pop(); next !== undefined && bytes <= enoughBytes; next = queue.pop()) {
    try {
      for await (const entry of await opendir(next)) {
        const path = join(next, entry.name);
        bytes += ((await lstat(path).catch(ignoreUnreachable))?.blocks ?? 0) * BLOCK_BYTES;
        if (entry.isDirectory()) queue.push(path);
        if (++entries > MAX_ENTRIES) return Number.POSITIVE_INFINITY;
        if (bytes > enoughBytes) break;
      }
    } catch (error) {
      ignoreUnreachable(error);
    }
  }
  return bytes;
}

function ignoreUnreachable(error: unknown): undefined {
  const code = codeOf(error);
  if (!isMissing(error) && code !== 'EACCES' && code !== 'ENAMETOOLONG' && code !== 'ELOOP') throw error;
  return undefined;
}
