import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, type Stats } from 'node:fs';

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Levels kept open at a time; older ones are reopened through `..` and checked to be the same directory. */
const OPEN_LEVELS = 64;

/** One entry of a walked tree; `at` opens it while the walk stands there. */
export class Entry {
  readonly name: Buffer;
  readonly at: Buffer;
  readonly stats: Stats;
  private readonly level: Level;

  constructor(level: Level, name: Buffer) {
    this.level = level;
    this.name = name;
    this.at = Buffer.concat([Buffer.from(`/proc/self/fd/${level.fd}/`), name]);
    this.stats = lstatSync(this.at);
  }

  /** Relative to the root, raw bytes. Made on demand: the paths of a very deep tree would not fit in memory. */
  get path(): Buffer {
    const above = pathOf(this.level);
    return above.length === 0 ? this.name : Buffer.concat([above, SLASH, this.name]);
  }
}

export interface Visitor {
  /** Whether to go into a directory. */
  enter(entry: Entry): boolean;
  /** Anything but a directory. */
  visit(entry: Entry): void;
  leave?(): void;
  /** An entry that could not be examined, for example one whose owner's right could not be restored. */
  unreadable(entry: Entry): void;
}

interface Level {
  fd: number;
  device: number;
  inode: number;
  name: Buffer;
  above: Level | undefined;
  path: Buffer | undefined;
  names: Buffer[];
  next: number;
}

/**
 * Walks a tree in the order of raw names, following no link, at any depth, with a bounded number of descriptors. The tree must be
 * still: whoever wrote it is dead. Missing rights of the owner are restored on the way, so that mode 000 hides nothing.
 */
export function walk(root: string | Buffer, visitor: Visitor): void {
  const levels: Level[] = [openLevel(root, Buffer.alloc(0), undefined)];
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
  const entry = new Entry(level, name);
  let inner: Level | undefined;
  try {
    inner = examine(entry, level);
    if (inner === undefined) return visitor.visit(entry);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return visitor.unreadable(entry);
  }
  if (visitor.enter(entry)) push(levels, inner);
  else closeSync(inner.fd);
}

/** An entry that our uid may not read although it owns the tree. */
export class Unreadable extends Error {}

/** Runs one system call on an entry; a refusal for lack of permission becomes {@link Unreadable}. */
export function ifPermitted<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')))
      throw error;
    throw new Unreadable(error.message);
  }
}

function examine(entry: Entry, level: Level): Level | undefined {
  ifPermitted(() => restoreOwnerRights(entry));
  return entry.stats.isDirectory() ? ifPermitted(() => openLevel(entry.at, entry.name, level)) : undefined;
}

const SLASH = Buffer.from('/');

function restoreOwnerRights({ at, stats }: Entry): void {
  const needed = stats.isDirectory() ? 0o700 : stats.isFile() ? 0o400 : 0;
  if ((stats.mode & needed) !== needed) chmodSync(at, (stats.mode & 0o7777) | needed);
}

function pathOf(level: Level): Buffer {
  if (level.path !== undefined) return level.path;
  const above = level.above === undefined ? level.name : pathOf(level.above);
  level.path = above.length === 0 ? level.name : Buffer.concat([above, SLASH, level.name]);
  return level.path;
}

function openLevel(path: string | Buffer, name: Buffer, above: Level | undefined): Level {
  const fd = openSync(path, OPEN_DIRECTORY);
  const stats = fstatSync(fd);
  const names = readdirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' }).sort((a, b) => a.compare(b));
  return { fd, device: stats.dev, inode: stats.ino, name, above, path: undefined, names, next: 0 };
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
