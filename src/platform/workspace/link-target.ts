import { readlink } from 'node:fs/promises';
import { isSystemError } from '../../domain/system-error.js';
import { staysInside, toLatin1 } from '../../domain/workspace/link-target.js';

/**
 * Whether a symbolic link of a folder of this host never leaves the folder `top`, followed through the links that are there.
 *
 * @param folder of the link below `top`, empty or ending in a slash
 */
export function leadsInside(top: string, folder: string, target: Buffer): Promise<boolean> {
  return staysInside(toLatin1(folder), target.toString('latin1'), (path) => linkAt(`${toLatin1(top)}/${path}`));
}

async function linkAt(path: string): Promise<string | undefined> {
  try {
    return (await readlink(Buffer.from(path, 'latin1'), { encoding: 'buffer' })).toString('latin1');
  } catch (error) {
    if (isSystemError(error, 'EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
}
