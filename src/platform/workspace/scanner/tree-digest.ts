import { createHash, type Hash } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hashPortions, withFile } from './content.js';
import { walk, type Entry } from './walk.js';

/** What a folder holds. `digest` is null when the time or the size allowed for it did not suffice. */
export interface TreeSummary {
  /** At least so many when `digest` is null. */
  files: number;
  bytes: number;
  digest: string | null;
}

export interface DigestLimits {
  /** Contents beyond this many bytes in all leave the digest out; numbers of files and bytes are always told. */
  bytes: number;
  /** Clock time in milliseconds after which contents are no longer read, and folders no longer entered {@link GRACE_MS} later. */
  until: number;
}

const GRACE_MS = 15_000;

/**
 * Number of files, bytes and digest of a folder. The digest of a folder is the SHA-256 over its entries in the order of their raw
 * names: type and mark of execution in octal (`100000`, `100100`, `120000`, `40000`, …), a space, the name, NUL, then the 32 bytes of
 * the entry's own digest (of a file's content, a link's target, a folder's entries; of the empty string for anything else).
 *
 * @param skip names left out at the top of the folder
 */
export function summarizeTree(
  folder: string | Buffer,
  limits: DigestLimits,
  skip: readonly string[] = [],
): TreeSummary {
  const visitor = new Summing(limits, skip);
  walk(folder, visitor);
  return visitor.summary();
}

/** The same for one file or link. */
export function digestEntry(entry: Entry, limits: DigestLimits): string | null {
  if (entry.stats.isSymbolicLink()) return sha256(readlinkSync(entry.at, { encoding: 'buffer' }));
  if (!entry.stats.isFile()) return sha256(Buffer.alloc(0));
  if (entry.stats.size > limits.bytes) return null;
  const stop = () => Date.now() > limits.until;
  return withFile(entry.at, (fd, bytes) => hashPortions(fd, bytes, { algorithm: 'sha256', stop })) ?? null;
}

class Summing {
  private readonly limits: DigestLimits;
  private readonly skip: readonly string[];
  private readonly open: { hash: Hash; head: string; name: Buffer }[] = [
    { hash: createHash('sha256'), head: '', name: Buffer.alloc(0) },
  ];
  private files = 0;
  private bytes = 0;
  private complete = true;
  private digest: string | null = null;

  constructor(limits: DigestLimits, skip: readonly string[]) {
    this.limits = limits;
    this.skip = skip;
  }

  enter(entry: Entry): boolean {
    if (this.isSkipped(entry)) return false;
    if (Date.now() > this.limits.until + GRACE_MS) {
      this.complete = false;
      return false;
    }
    this.open.push({ hash: createHash('sha256'), head: head(entry), name: entry.name });
    return true;
  }

  leave(): void {
    const closed = this.open.pop();
    const digest = closed?.hash.digest() ?? Buffer.alloc(0);
    const parent = this.open.at(-1);
    if (closed === undefined || parent === undefined) this.digest = digest.toString('hex');
    else add(parent.hash, closed.head, closed.name, digest);
  }

  visit(entry: Entry): void {
    if (this.isSkipped(entry)) return;
    this.files++;
    if (entry.stats.isFile()) this.bytes += entry.stats.size;
    const digest = this.bytes > this.limits.bytes ? null : digestEntry(entry, this.limits);
    if (digest === null) this.complete = false;
    else add(this.top(), head(entry), entry.name, Buffer.from(digest, 'hex'));
  }

  unreadable(): void {
    this.files++;
    this.complete = false;
  }

  summary(): TreeSummary {
    return { files: this.files, bytes: this.bytes, digest: this.complete ? this.digest : null };
  }

  private isSkipped(entry: Entry): boolean {
    return this.open.length === 1 && this.skip.includes(entry.name.toString('latin1'));
  }

  private top(): Hash {
    return (this.open.at(-1) as { hash: Hash }).hash;
  }
}

function head(entry: Entry): string {
  return `${(entry.stats.mode & (entry.stats.isFile() ? 0o170100 : 0o170000)).toString(8)} `;
}

function add(hash: Hash, entryHead: string, name: Buffer, digest: Buffer): void {
  hash.update(entryHead).update(name).update('\0').update(digest);
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
