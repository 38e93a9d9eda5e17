import { realpath } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';

/**
 * Refuses a path that is, or leads through, a symbolic link before it is mounted (04-sandbox §3): a link could lead the mount
 * elsewhere between this look and bubblewrap's.
 */
export async function refuseLinks(paths: string[]): Promise<void> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    if (real === null) throw new SandgateError('unavailable', `${path} is not there`);
    if (real !== path) throw new SandgateError('invalid_request', `${path} leads through a symbolic link to ${real}; name the folder itself`);
  }
}
