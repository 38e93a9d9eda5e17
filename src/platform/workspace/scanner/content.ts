import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { ifPermitted } from './walk.js';

const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const CHUNK_BYTES = 1024 * 1024;

/** The hash that a repository names its objects with. */
export type ObjectFormat = 'sha1' | 'sha256';

/** A regular file read through one descriptor, whole when it is small enough and in portions otherwise. */
export function withFile<T>(at: Buffer, read: (fd: number, bytes: number) => T): T {
  const fd = ifPermitted(() => openSync(at, OPEN_FILE));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new Error('a regular file became something else while it was read');
    return read(fd, stats.size);
  } finally {
    closeSync(fd);
  }
}

export function readWhole(fd: number, bytes: number): Buffer {
  const content = Buffer.allocUnsafe(bytes);
  let filled = 0;
  while (filled < bytes) {
    const count = readSync(fd, content, filled, bytes - filled, filled);
    if (count === 0) throw new Error('a file shrank while it was read');
    filled += count;
  }
  return content;
}

/** Digest of `bytes` of a file in portions, after an optional prefix; stops at `stop` and then answers undefined. */
export function hashPortions(
  fd: number,
  bytes: number,
  options: { algorithm: string; prefix?: string; stop?: () => boolean },
): string | undefined {
  const hash = createHash(options.algorithm).update(options.prefix ?? '');
  const portion = Buffer.allocUnsafe(Math.min(bytes, CHUNK_BYTES) || 1);
  for (let position = 0; position < bytes;) {
    if (options.stop?.() === true) return undefined;
    const count = readSync(fd, portion, 0, Math.min(portion.length, bytes - position), position);
    if (count === 0) throw new Error('a file shrank while it was read');
    hash.update(portion.subarray(0, count));
    position += count;
  }
  return hash.digest('hex');
}

export function blobPrefix(bytes: number): string {
  return `blob ${bytes}\0`;
}

/** The object id that git gives to this content. */
export function blobId(content: Buffer, format: ObjectFormat): string {
  return createHash(format).update(blobPrefix(content.length)).update(content).digest('hex');
}
