import { lstat, realpath } from 'node:fs/promises';
import { SandgateError } from '../../../domain/errors.js';

/**
 * Refuses a path that is, or leads through, a symbolic link before it is mounted (docs/design/sandbox.md): a link could lead the mount
 * elsewhere between this look and bubblewrap's.
 */
export async function refuseLinks(paths: string[]): Promise<void> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => null);
    if (real === null) throw new SandgateError('sandbox_failed', `${path} is not there`);
    if (real !== path)
      throw new SandgateError(
        'invalid_request',
        `${path} leads through a symbolic link to ${real}; name the folder itself`,
      );
  }
}

/**
 * The real path of a folder that must lie inside `parent`; the way to the parent itself may lead through links, what is inside it
 * may not.
 */
export async function resolveInside(parent: string, path: string): Promise<string> {
  const entry = await lstat(path).catch(() => null);
  if (entry?.isDirectory() !== true)
    throw new SandgateError(
      'invalid_request',
      `${path} is not a folder${entry?.isSymbolicLink() === true ? ' but a symbolic link' : ''}`,
    );
  const real = await realpath(path);
  if (!real.startsWith(`${parent}/`))
    throw new SandgateError('invalid_request', `${path} leads out of ${parent}, to ${real}`);
  return real;
}
