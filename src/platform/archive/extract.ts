import { Readable } from 'node:stream';
import { readArchivePath, refusedEntry, textProblem } from '../../domain/workspace/archive-path.js';
import { holdsToken, secretSignOf } from '../../domain/workspace/secret-files.js';
import { ArchiveReader, tooLarge, type ArchiveBytes, type ArchiveSizes, type RawEntry } from './read-archive.js';

const MAX_LINK_TARGET_BYTES = 4095;
/** Of all names and link targets together, those of folders that no entry states included: they are held in memory. */
const MAX_NAME_BYTES = 64 * 1024 * 1024;
const MAX_SECRET_CANDIDATE_BYTES = 1024 * 1024;

export interface ArchiveLimits extends ArchiveSizes {
  /** Contents of all files together, in bytes. */
  content: number;
  /** Files and links. */
  files: number;
  links: number;
  /** Folders as well. */
  entries: number;
}

export interface ArchiveRules {
  limits: ArchiveLimits;
  /** True leaves out files that look like secrets. */
  withoutSecrets: boolean;
  /** What is wrong with one part of a path; null for what may stand in an archive of this purpose. */
  partProblem?: (part: string) => string | null;
}

/** A link of an archive, wherever it leads. */
export interface ArchiveLink {
  path: string;
  target: string;
}

/** Where the entries of an archive go, in order: a folder before what lies in it. Paths are normal. */
export interface ArchiveTarget {
  folder(path: string): void;
  /** Takes the whole content. */
  file(path: string, content: AsyncIterable<Buffer>, executable: boolean): Promise<void>;
  /** Called once, after all else. @returns how many were made: one that leaves the tree is not */
  links(all: readonly ArchiveLink[]): Promise<number>;
}

export interface ArchiveReport extends ArchiveBytes {
  /** Files and links that were taken. */
  files: number;
  /** Their contents, in bytes. */
  content: number;
  /** Files and links that look like secrets. */
  leftOut: number;
  /** Links that were not made because they leave the tree. */
  droppedLinks: number;
}

/**
 * The one extractor of archives that others made (docs/design/workspaces.md): it refuses absolute paths, `..`, hard links, special files,
 * entries that contradict each other, and whatever passes a limit; links come last. Owners, times and modes are not taken over,
 * except a file's execute bit.
 *
 * @throws SandgateError `invalid_request` that names the entry, `payload_too_large` past a limit
 */
export async function extractArchive(
  source: AsyncIterable<Buffer>,
  target: ArchiveTarget,
  rules: ArchiveRules,
): Promise<ArchiveReport> {
  const reader = new ArchiveReader(source, rules.limits);
  const extraction = new Extraction(target, rules);
  for await (const entry of reader.entries()) await extraction.take(entry);
  await extraction.makeLinks();
  return { ...reader.bytes, ...extraction.count };
}

/** Reads an archive as {@link extractArchive} would, and writes nothing. Links count as taken wherever they lead. */
export function checkArchive(source: AsyncIterable<Buffer>, rules: ArchiveRules): Promise<ArchiveReport> {
  return extractArchive(source, NOWHERE, rules);
}

const NOWHERE: ArchiveTarget = {
  folder: () => undefined,
  file: (_path, content) => readToEnd(content),
  links: (all) => Promise.resolve(all.length),
};

/** Where a content that is not whole is an error. */
async function readToEnd(content: AsyncIterable<Buffer>): Promise<void> {
  const chunks = content[Symbol.asyncIterator]();
  let step = await chunks.next();
  while (step.done !== true) step = await chunks.next();
}

type Kind = 'folder' | 'file' | 'link';

class Extraction {
  readonly count = { files: 0, content: 0, leftOut: 0, droppedLinks: 0 };
  private readonly kinds = new Map<string, Kind>();
  private readonly links: ArchiveLink[] = [];
  private nameBytes = 0;

  constructor(
    private readonly target: ArchiveTarget,
    private readonly rules: ArchiveRules,
  ) {}

  async take(entry: RawEntry): Promise<void> {
    const parts = readArchivePath(entry.name);
    for (const part of parts) {
      const problem = this.rules.partProblem?.(part) ?? null;
      if (problem !== null) throw refusedEntry(entry.name, problem);
    }
    if (!Number.isSafeInteger(entry.size) || entry.size < 0) throw refusedEntry(entry.name, 'has no valid size');
    if (entry.type === 'directory') return this.takeFolder(entry, parts);
    if (parts.length === 0) throw refusedEntry(entry.name, 'names the top of the tree and is no folder');
    if (entry.type === 'file') return this.takeFile(entry, parts);
    if (entry.type === 'symlink') return this.takeLink(entry, parts);
    throw refusedEntry(entry.name, entry.type === 'link' ? 'is a hard link' : 'is neither a file, a folder nor a link');
  }

  async makeLinks(): Promise<void> {
    const made = await this.target.links(this.links);
    this.count.files += made;
    this.count.droppedLinks += this.links.length - made;
  }

  private takeFolder({ name, size }: RawEntry, parts: string[]): void {
    if (size !== 0) throw refusedEntry(name, 'is a folder with a content');
    if (parts.length > 0) this.enter(name, [...parts, '']);
  }

  private async takeFile(entry: RawEntry, parts: string[]): Promise<void> {
    const path = this.claim(entry.name, parts, 'file');
    this.count.content += entry.size;
    if (this.count.content > this.rules.limits.content)
      throw tooLarge(`holds files of more than ${this.rules.limits.content} bytes`);
    const content = await this.unlessSecret(entry, parts.at(-1) ?? '');
    if (content === null) {
      this.count.leftOut++;
      return;
    }
    this.count.files++;
    await this.target.file(path, content, (entry.mode & 0o100) !== 0);
  }

  private takeLink({ name, size, linkTarget }: RawEntry, parts: string[]): void {
    if (size !== 0) throw refusedEntry(name, 'is a link with a content');
    const target = linkTarget ?? '';
    const problem = target === '' ? 'is empty' : textProblem(target);
    if (problem !== null) throw refusedEntry(name, `is a link whose target ${problem}`);
    if (Buffer.byteLength(target) > MAX_LINK_TARGET_BYTES)
      throw refusedEntry(name, 'is a link whose target is too long');
    const path = this.claim(name, parts, 'link');
    this.addNameBytes(target);
    if (this.rules.withoutSecrets && secretSignOf(parts.at(-1) ?? '') !== 'none') {
      this.count.leftOut++;
      return;
    }
    this.links.push({ path, target });
    if (this.links.length > this.rules.limits.links) throw tooLarge(`holds more than ${this.rules.limits.links} links`);
  }

  /** Null for a secret, whose content goes nowhere. */
  private async unlessSecret({ content, size }: RawEntry, name: string): Promise<AsyncIterable<Buffer> | null> {
    const sign = this.rules.withoutSecrets ? secretSignOf(name) : 'none';
    if (sign === 'none') return content;
    const chunks: Buffer[] = [];
    const isRead = sign === 'content' && size <= MAX_SECRET_CANDIDATE_BYTES;
    for await (const chunk of content) if (isRead) chunks.push(chunk);
    const whole = Buffer.concat(chunks);
    return isRead && !holdsToken(whole.toString('utf8')) ? Readable.from([whole]) : null;
  }

  /** Registers an entry and the folders above it. */
  private claim(name: string, parts: string[], kind: Exclude<Kind, 'folder'>): string {
    this.enter(name, parts);
    const path = parts.join('/');
    if (this.kinds.has(path)) throw refusedEntry(name, 'stands in it twice');
    this.register(path, kind);
    const files = this.count.files + this.links.length + 1;
    if (files > this.rules.limits.files) throw tooLarge(`holds more than ${this.rules.limits.files} files`);
    return path;
  }

  /** Makes the folders above the last part that are not there yet. */
  private enter(name: string, parts: string[]): void {
    let known = parts.length - 1;
    while (known > 0 && !this.kinds.has(parts.slice(0, known).join('/'))) known--;
    for (let depth = Math.max(known, 1); depth < parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      const kind = this.kinds.get(path);
      if (kind === undefined) {
        this.register(path, 'folder');
        this.target.folder(path);
      } else if (kind !== 'folder') {
        throw refusedEntry(name, `needs a folder where a ${kind} stands`);
      }
    }
  }

  private register(path: string, kind: Kind): void {
    this.kinds.set(path, kind);
    this.addNameBytes(path);
    if (this.kinds.size > this.rules.limits.entries)
      throw tooLarge(`holds more than ${this.rules.limits.entries} files and folders`);
  }

  private addNameBytes(text: string): void {
    this.nameBytes += text.length;
    if (this.nameBytes > MAX_NAME_BYTES) throw tooLarge(`holds names of more than ${MAX_NAME_BYTES} bytes`);
  }
}
