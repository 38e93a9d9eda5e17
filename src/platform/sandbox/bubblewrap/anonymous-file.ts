import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY_FOLDER = '/dev/shm';

/**
 * A read-only descriptor of a file without a name, holding `content`: how secrets and arguments are handed to a child without
 * standing on its command line, in its environment or on a disk. A Node pipe would be a socket to this process instead.
 * @param fallbackFolder private folder used where there is no `/dev/shm`
 */
export function openAnonymousFile(content: string | Buffer, fallbackFolder: string): number {
  const folder =
    statSync(MEMORY_FOLDER, { throwIfNoEntry: false })?.isDirectory() === true ? MEMORY_FOLDER : fallbackFolder;
  const path = join(folder, `.sandgate-${randomUUID()}`);
  const writer = openSync(path, 'wx', 0o600);
  try {
    const bytes = Buffer.from(content);
    for (let written = 0; written < bytes.length;) written += writeSync(writer, bytes, written);
    return openSync(path, 'r');
  } finally {
    unlinkSync(path);
    closeSync(writer);
  }
}

/** Opens several descriptors for the time of `use` and closes them all afterwards. */
export async function withDescriptors<T>(
  open: (() => number)[],
  use: (descriptors: number[]) => Promise<T>,
): Promise<T> {
  const descriptors: number[] = [];
  try {
    for (const one of open) descriptors.push(one());
    return await use(descriptors);
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
