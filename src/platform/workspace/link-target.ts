import { readlink } from 'node:fs/promises';
import { isSystemError } from '../../domain/system-error.js';

const MAX_STEPS = 40;

/**
 * Whether a symbolic link, followed step by step through other links, never leaves the folder `top`. Absolute targets leave it: in a
 * sandbox they would name another place. A target that does not exist may stay.
 *
 * @param folder of the link below `top`, empty or ending in a slash
 */
export async function staysInside(top: string, folder: string, target: Buffer): Promise<boolean> {
  const parts = latin1(folder)
    .split('/')
    .filter((part) => part !== '');
  const ahead = split(target);
  if (ahead === undefined) return false;
  let steps = 0;
  while (ahead.length > 0) {
    const part = ahead.shift() as string;
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return false;
      continue;
    }
    const next = await linkTarget(`${latin1(top)}/${[...parts, part].join('/')}`);
    if (next === undefined) {
      parts.push(part);
      continue;
    }
    const inner = split(next);
    if (inner === undefined || ++steps > MAX_STEPS) return false;
    ahead.unshift(...inner);
  }
  return true;
}

/** The bytes of a name, one character each. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Parts of a target, as Latin-1 so that any byte survives; undefined for an absolute one. */
function split(target: Buffer): string[] | undefined {
  const text = target.toString('latin1');
  return text.startsWith('/') ? undefined : text.split('/');
}

async function linkTarget(path: string): Promise<Buffer | undefined> {
  try {
    return await readlink(Buffer.from(path, 'latin1'), { encoding: 'buffer' });
  } catch (error) {
    if (isSystemError(error, 'EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG')) return undefined;
    throw error;
  }
}
