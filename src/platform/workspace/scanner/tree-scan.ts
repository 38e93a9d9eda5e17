import { readdirSync, readlinkSync } from 'node:fs';
import { type BaseTree, type BaseEntry } from './base-tree.js';
import { blobId, blobPrefix, hashPortions, readWhole, withFile, type ObjectFormat } from './content.js';
import { LeftOutList } from './left-out.js';
import { isGitAlias, isBuildFile, isBuildFolder } from './names.js';
import type { PackWriter } from './pack-writer.js';
import { walk, type Entry } from './walk.js';

/** Longer paths cannot be created again by the programs that apply a patch. */
const MAX_PATH_BYTES = 3500;
/** Comparing more would not fit the collector's memory. */
const MAX_LINES = 2_000_000;
const LIGHT_BYTES = 1024 * 1024;

export interface ScanOptions {
  root: string;
  /** Takes the blobs that the base lacks. */
  pack: PackWriter;
  format: ObjectFormat;
  base: BaseTree;
  /** A snapshot takes everything, whatever its size; a diff leaves out build products and oversized files and lists them. */
  purpose: 'snapshot' | 'diff';
  /** Bytes up to which a file is read whole. */
  maxFileBytes: number;
}

/** A line of the new index. `light` is false for a changed entry that a diff of last resort leaves as it was. */
export interface IndexEntry {
  path: Buffer;
  mode: string;
  id: string;
  light: boolean;
  base: BaseEntry | undefined;
}

/** Reads a final tree and turns it into index entries, one for everything that a patch can carry; the rest is named. */
export class TreeScan {
  private readonly options: ScanOptions;
  readonly entries: IndexEntry[] = [];
  readonly leftOut: LeftOutList;
  /** Files above the limit, which git itself shall store (snapshots only). */
  readonly oversized: Buffer[] = [];
  files = 0;
  bytes = 0;
  /** A folder of build products in which the base tracks something: tracked files are compared, the others are listed with the folder. */
  private mixed: { path: string; depth: number } | undefined;
  private depth = 0;

  constructor(options: ScanOptions) {
    this.options = options;
    this.leftOut = new LeftOutList(options.root);
  }

  run(): void {
    walk(this.options.root, this);
    this.entries.sort((a, b) => Buffer.compare(a.path, b.path));
  }

  enter(entry: Entry): boolean {
    const entered = this.isTaken(entry);
    if (entered) this.depth++;
    return entered;
  }

  leave(): void {
    this.depth--;
    if (this.mixed !== undefined && this.depth < this.mixed.depth) this.mixed = undefined;
  }

  unreadable(entry: Entry): void {
    this.leftOut.addFile(entry.path, 'unreadable', 0, null);
  }

  visit(entry: Entry): void {
    const { stats, path } = entry;
    const key = path.toString('latin1');
    const base = this.options.base.get(key);
    if (isGitAlias(entry.name)) return this.leaveOutRepository(entry);
    if (path.length > MAX_PATH_BYTES) return this.leftOut.addFile(path, 'path too long', stats.size, entry);
    if (base === undefined && this.isBuildProduct(entry)) return;
    if (stats.isFile()) return this.addFile(entry, base);
    if (stats.isSymbolicLink()) return this.addLink(entry, base);
    this.leftOut.addFile(path, specialKind(entry), 0, null);
  }

  private isTaken(entry: Entry): boolean {
    const { path, name } = entry;
    const key = path.toString('latin1');
    if (isGitAlias(name)) {
      this.leaveOutRepository(entry);
      return false;
    }
    if (path.length > MAX_PATH_BYTES) {
      this.leftOut.addFolder(path, 'path too long');
      return false;
    }
    const base = this.options.base.get(key);
    if (base?.mode === '160000') {
      this.entries.push({ path, mode: base.mode, id: base.id, light: true, base });
      if (readdirSync(entry.at).length > 0) this.leftOut.addFolder(path, 'submodule');
      return false;
    }
    return this.options.purpose === 'snapshot' || this.entersBuildFolder(key, name.toString('latin1'));
  }

  private entersBuildFolder(key: string, name: string): boolean {
    const tracked = this.options.base.tracksInside(key);
    if (!isBuildFolder(name) || tracked) {
      if (tracked && this.mixed === undefined) this.mixed = { path: key, depth: this.depth + 1 };
      return true;
    }
    this.leftOut.addFolder(Buffer.from(this.mixed?.path ?? key, 'latin1'), 'build product');
    return false;
  }

  private isBuildProduct(entry: Entry): boolean {
    if (this.options.purpose === 'snapshot') return false;
    if (this.mixed !== undefined) this.leftOut.addFolder(Buffer.from(this.mixed.path, 'latin1'), 'build product');
    else if (isBuildFile(entry.name.toString('latin1'))) {
      this.leftOut.addFile(entry.path, 'build product', entry.stats.size, entry);
    } else return false;
    return true;
  }

  private leaveOutRepository(entry: Entry): void {
    if (entry.path.equals(OWN_REPOSITORY)) return;
    if (entry.stats.isDirectory()) this.leftOut.addFolder(entry.path, 'nested repository');
    else this.leftOut.addFile(entry.path, 'nested repository', entry.stats.size, entry);
  }

  private addLink(entry: Entry, base: BaseEntry | undefined): void {
    // git refuses this name for a link, in an index and in a patch.
    if (entry.name.toString('latin1').toLowerCase() === '.gitmodules') {
      return this.leftOut.addFile(entry.path, 'link that git refuses', 0, entry);
    }
    this.files++;
    this.addContent(entry, '120000', readlinkSync(entry.at, { encoding: 'buffer' }), base);
  }

  private addFile(entry: Entry, base: BaseEntry | undefined): void {
    const mode = (entry.stats.mode & 0o100) === 0 ? '100644' : '100755';
    this.files++;
    this.bytes += entry.stats.size;
    withFile(entry.at, (fd, bytes) => {
      if (bytes <= this.options.maxFileBytes) this.addContent(entry, mode, readWhole(fd, bytes), base);
      else this.addOversized(entry, mode, fd, bytes, base);
    });
  }

  private addContent(entry: Entry, mode: string, content: Buffer, base: BaseEntry | undefined): void {
    const id = blobId(content, this.options.format);
    const changed = id !== base?.id;
    if (changed && this.options.purpose === 'diff' && countLines(content) > MAX_LINES)
      return this.keepBase(entry, base);
    if (changed) this.options.pack.add(id, content);
    this.entries.push({ path: entry.path, mode, id, light: !changed || content.length <= LIGHT_BYTES, base });
  }

  private addOversized(entry: Entry, mode: string, fd: number, bytes: number, base: BaseEntry | undefined): void {
    // A sparse file of terabytes must not use up the time of the others: only a size that the base could have is worth reading.
    const snapshot = this.options.purpose === 'snapshot';
    if (!snapshot && (base === undefined || entry.stats.blocks * 512 < bytes / 2)) return this.keepBase(entry, base);
    const id = hashPortions(fd, bytes, { algorithm: this.options.format, prefix: blobPrefix(bytes) });
    if (id === undefined || (!snapshot && id !== base?.id)) return this.keepBase(entry, base);
    if (snapshot) this.oversized.push(entry.path);
    this.entries.push({ path: entry.path, mode, id, light: true, base });
  }

  /** Leaves a file as the base has it, so that the patch says nothing about it, and names it. */
  private keepBase(entry: Entry, base: BaseEntry | undefined): void {
    this.leftOut.addFile(entry.path, 'too large', entry.stats.size, entry);
    if (base !== undefined) this.entries.push({ path: entry.path, mode: base.mode, id: base.id, light: true, base });
  }
}

/** The agent's own repository at the top of the workspace; it is compared with the baseline by the caller. */
const OWN_REPOSITORY = Buffer.from('.git');

function countLines(content: Buffer): number {
  let lines = 0;
  for (let at = content.indexOf(10); at >= 0 && lines <= MAX_LINES; at = content.indexOf(10, at + 1)) lines++;
  return lines;
}

function specialKind({ stats }: Entry): string {
  if (stats.isFIFO()) return 'FIFO';
  if (stats.isSocket()) return 'socket';
  return 'device';
}
