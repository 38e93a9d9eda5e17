import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Levels kept open at a time; older ones are reopened through `..` and checked to be the same directory. */
const OPEN_LEVELS = 64;

/** One entry of a walked tree. `path` is relative to the root and raw bytes; `at` opens it while the walk stands there. */
export interface Entry {
  path: Buffer;
  name: Buffer;
  at: Buffer;
  stats: Stats;
}

export interface Visitor {
  /** Whether to go into a directory. */
  enter(entry: Entry): boolean;
  /** Anything but a directory. */
  visit(entry: Entry): void;
  leave?(): void;
  /** An entry that could not be examined, for example one whose owner's right could not be restored. */
  unreadable(path: Buffer): void;
}

interface Level {
  fd: number;
  device: number;
  inode: number;
  path: Buffer;
  names: Buffer[];
  next: number;
}

/**
 * Walks a tree in the order of raw names, following no link, at any depth, with a bounded number of descriptors. The tree must be
 * still: whoever wrote it is dead. Missing rights of the owner are restored on the way, so that mode 000 hides nothing.
 */
export function walk(root: string | Buffer, visitor: Visitor): void {
  const levels: Level[] = [openLevel(root, Buffer.alloc(0))];
  while (levels.length > 0) {
    const level = levels[levels.length - 1] as Level;
    const name = level.names[level.next++];
    if (name === undefined) {
      leave(levels);
      visitor.leave?.();
    } else {
      step(levels, level, name, visitor);
    }
  }
}

function step(levels: Level[], level: Level, name: Buffer, visitor: Visitor): void {
  const path = level.path.length === 0 ? name : Buffer.concat([level.path, SLASH, name]);
  const at = Buffer.concat([Buffer.from(`/proc/self/fd/${level.fd}/`), name]);
  try {
    const entry = { path, name, at, stats: lstatSync(at) };
    restoreOwnerRights(entry);
    if (!entry.stats.isDirectory()) return visitor.visit(entry);
    const inner = openLevel(at, path);
    if (visitor.enter(entry)) push(levels, inner);
    else closeSync(inner.fd);
  } catch (error) {
    if (!isPermissionError(error)) throw error;
    visitor.unreadable(path);
  }
}

const SLASH = Buffer.from('/');

function restoreOwnerRights({ at, stats }: Entry): void {
  const needed = stats.isDirectory() ? 0o700 : stats.isFile() ? 0o400 : 0;
  if ((stats.mode & needed) !== needed) chmodSync(at, (stats.mode & 0o7777) | needed);
}

function openLevel(path: string | Buffer, relative: Buffer): Level {
  const fd = openSync(path, OPEN_DIRECTORY);
  const stats = fstatSync(fd);
  const names = readdirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' }).sort(Buffer.compare);
  return { fd, device: stats.dev, inode: stats.ino, path: relative, names, next: 0 };
}

function push(levels: Level[], level: Level): void {
  levels.push(level);
  const old = levels[levels.length - 1 - OPEN_LEVELS];
  if (old === undefined) return;
  closeSync(old.fd);
  old.fd = -1;
}

function leave(levels: Level[]): void {
  const left = levels.pop() as Level;
  const parent = levels[levels.length - 1];
  if (parent?.fd === -1) {
    parent.fd = openSync(`/proc/self/fd/${left.fd}/..`, OPEN_DIRECTORY);
    const stats = fstatSync(parent.fd);
    if (stats.dev !== parent.device || stats.ino !== parent.inode) throw new Error('the tree moved while it was read');
  }
  closeSync(left.fd);
}

function isPermissionError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}
