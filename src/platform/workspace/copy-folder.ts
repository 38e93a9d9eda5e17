import { constants, type Dirent } from 'node:fs';
import { chmod, copyFile, lchown, mkdir, readlink, symlink, type FileHandle } from 'node:fs/promises';
import { SandgateError } from '../../domain/errors.js';
import { canonicalRoots, isInside, openAllowed } from './allowed-roots.js';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';
import type { Confinement } from './git-command.js';
import { IgnoreRules, IncludeGlobs, readSmallFile } from './ignore-rules.js';
import { staysInside } from './link-target.js';
import { isGitAlias } from './scanner/names.js';
import { isSecretFile } from './secret-files.js';
import {
  enclosingRepository,
  excludeRules,
  repositoryAt,
  TrackedPaths,
  trackedPaths,
  type SourceRepository,
} from './source-repository.js';

/** Limits of a local copy (docs/design/workspaces.md). */
const MAX_COPY_BYTES = 2 * 1024 ** 3;
const MAX_COPY_FILES = 200_000;
const MAX_DEPTH = 250;
const PARALLEL_COPIES = 16;

export interface CopyRequest {
  path: string;
  include: readonly string[];
  roots: readonly string[];
  stateDir: string;
  workspaceDir: string;
}

/** What a copy took, and what our own rules left out (secrets, links that leave the folder, special files, the state folder). */
export interface CopyCount {
  files: number;
  bytes: number;
  leftOut: number;
}

/** Where the walk stands in a repository: its tracked paths, its ignore rules, and the folder's path inside it. */
interface Place {
  tracked: TrackedPaths;
  rules: IgnoreRules;
  /** Empty or ending in a slash. */
  inRepository: string;
  /** The same from the copied folder's top. */
  inCopy: string;
  /** Inside an ignored folder only tracked and included files are taken. */
  ignored: boolean;
  depth: number;
}

/**
 * Copies what git tracks, what is neither tracked nor ignored, and what `include` adds, from a folder of the host into the empty
 * workspace. The original stays untouched; no `.git` is copied; nested repositories follow their own rules.
 *
 * @throws SandgateError `invalid_request` for a folder that is not allowed, `payload_too_large` past a limit
 */
export async function copyFolder(on: Confinement, request: CopyRequest): Promise<CopyCount> {
  await using source = await openAllowed(request.path, request.roots, 'workspace.path');
  const [stateDir] = await canonicalRoots([request.stateDir]);
  const top = await source.realPath();
  if (stateDir !== undefined && isInside(top, stateDir)) {
    throw new SandgateError(
      'invalid_request',
      `workspace.path ${request.path} is refused: it lies in the state folder of the server`,
    );
  }
  await using target = await DirectoryHandle.open(request.workspaceDir);
  const copy = new FolderCopy(on, { ...request, top, stateDir, allowed: await canonicalRoots(request.roots) });
  await copy.run(source, target);
  return copy.count;
}

class FolderCopy {
  readonly count: CopyCount = { files: 0, bytes: 0, leftOut: 0 };
  private readonly globs: IncludeGlobs;
  private repositories = 0;

  constructor(
    private readonly on: Confinement,
    private readonly request: Omit<CopyRequest, 'stateDir'> & {
      top: string;
      stateDir: string | undefined;
      allowed: string[];
    },
  ) {
    this.globs = new IncludeGlobs(request.include);
  }

  async run(source: DirectoryHandle, target: DirectoryHandle): Promise<void> {
    const repository = await enclosingRepository(this.request.top, this.request.allowed);
    const start: Place = {
      tracked: TrackedPaths.none,
      rules: IgnoreRules.none,
      inRepository: '',
      inCopy: '',
      ignored: false,
      depth: 0,
    };
    await this.copyInside(
      source,
      target,
      repository === undefined ? start : await this.enter(repository, start, this.request.top),
    );
  }

  /** The place of a folder in a repository, with the rules of the folders between the repository's top and it. */
  private async enter(repository: SourceRepository, place: Place, folder: string): Promise<Place> {
    const scratch = `${this.on.scratch}/repository-${this.repositories++}`;
    await mkdir(scratch);
    if (this.on.uid !== null) await lchown(scratch, this.on.uid, this.on.uid);
    const tracked = await trackedPaths({ ...this.on, scratch }, repository);
    let rules = await excludeRules(repository);
    const between = folder
      .slice(repository.top.length + 1)
      .split('/')
      .filter((part) => part !== '');
    let inRepository = '';
    for (const part of between) {
      await using above = await DirectoryHandle.open(`${repository.top}/${inRepository}`);
      rules = rules.with(inRepository, await readSmallFile(above, '.gitignore'));
      inRepository += `${part}/`;
    }
    return { ...place, tracked, rules, inRepository };
  }

  private async copyInside(source: DirectoryHandle, target: DirectoryHandle, outer: Place): Promise<void> {
    const rules = outer.rules.with(outer.inRepository, await readSmallFile(source, '.gitignore'));
    const place = { ...outer, rules };
    const directories: Buffer[] = [];
    let copies: Promise<void>[] = [];
    try {
      for await (const entry of source.entries()) {
        if (isGitAlias(entry.name)) continue;
        if (await source.isDirectory(entry)) directories.push(entry.name);
        else copies.push(this.copyEntry(source, target, entry, place));
        if (copies.length < PARALLEL_COPIES) continue;
        await allDone(copies);
        copies = [];
      }
    } finally {
      await allDone(copies);
    }
    for (const name of directories) await this.copyDirectory(source, target, name, place);
  }

  private async copyDirectory(
    source: DirectoryHandle,
    target: DirectoryHandle,
    name: Buffer,
    place: Place,
  ): Promise<void> {
    this.checkTime();
    const text = name.toString('utf8');
    const ignored = place.ignored || place.rules.ignores(`${place.inRepository}${text}`, true);
    const inCopy = `${place.inCopy}${text}/`;
    let inner: Place = {
      ...place,
      inRepository: `${place.inRepository}${text}/`,
      inCopy,
      ignored,
      depth: place.depth + 1,
    };
    if (ignored && !this.isWorthEntering(inner)) return;
    await using folder = await source.child(name);
    const path = await folder.realPath();
    if (path === this.request.stateDir || inner.depth > MAX_DEPTH) {
      this.count.leftOut++;
      return;
    }
    const nested = await repositoryAt(folder, this.request.allowed);
    if (nested !== undefined) inner = await this.enter(nested, inner, path);
    await makeFolder(target.at(name), this.on.uid);
    await using copied = await target.child(name);
    await this.copyInside(folder, copied, inner);
  }

  /** An ignored folder is entered only for tracked files in it or for globs that may match below. */
  private isWorthEntering(place: Place): boolean {
    if (this.globs.mayMatchBelow(place.inCopy.slice(0, -1))) return true;
    return place.tracked.hasBelow(Buffer.from(place.inRepository).toString('latin1'));
  }

  private async copyEntry(source: DirectoryHandle, target: DirectoryHandle, entry: Dirent<Buffer>, place: Place) {
    const { name } = entry;
    if (!this.isWanted(name, place)) return;
    if (entry.isSymbolicLink()) return this.copyLink(source, target, name, place);
    const secret = await isSecretFile(source, name.toString('utf8'));
    await using file = secret ? undefined : await openToCopy(source, name);
    const stats = await file?.stat();
    if (file === undefined || stats?.isFile() !== true) {
      this.count.leftOut++;
      return;
    }
    this.count.files++;
    this.count.bytes += stats.size;
    this.checkLimits();
    await copyContent(file.fd, stats.mode, target.at(name), this.on.uid);
  }

  private isWanted(name: Buffer, place: Place): boolean {
    const text = name.toString('utf8');
    const ignored = place.ignored || place.rules.ignores(`${place.inRepository}${text}`, false);
    if (!ignored) return true;
    const raw = Buffer.concat([Buffer.from(place.inRepository), name]).toString('latin1');
    return place.tracked.has(raw) || this.globs.matches(`${place.inCopy}${text}`);
  }

  private async copyLink(source: DirectoryHandle, target: DirectoryHandle, name: Buffer, place: Place): Promise<void> {
    const to = await readlink(source.at(name), { encoding: 'buffer' });
    const secret = await isSecretFile(source, name.toString('utf8'));
    if (secret || !(await staysInside(this.request.top, place.inCopy, to))) {
      this.count.leftOut++;
      return;
    }
    this.count.files++;
    this.checkLimits();
    await symlink(to, target.at(name));
    if (this.on.uid !== null) await lchown(target.at(name), this.on.uid, this.on.uid);
  }

  private checkLimits(): void {
    if (this.count.files > MAX_COPY_FILES) throw tooLarge(`more than ${MAX_COPY_FILES.toLocaleString('en')} files`);
    if (this.count.bytes > MAX_COPY_BYTES) throw tooLarge('more than 2 GiB');
  }

  private checkTime(): void {
    this.on.signal?.throwIfAborted();
    if (Date.now() > this.on.until)
      throw new SandgateError('payload_too_large', 'workspace.path takes longer than 120 s to copy');
  }
}

/** Copies one open regular file; of its mode only the execute bit is kept. */
async function copyContent(from: number, mode: number, target: Buffer, uid: number | null): Promise<void> {
  try {
    await copyFile(`/proc/self/fd/${from}`, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  } catch (error) {
    if (isSystemError(error, 'ENOSPC', 'EDQUOT')) throw tooLarge('more than the disk of its sandbox (sandbox.disk_mb)');
    throw error;
  }
  await chmod(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
  if (uid !== null) await lchown(target, uid, uid);
}

/** Undefined for what cannot be opened as a file: it was a link or a socket, or it is gone since it was listed. */
async function openToCopy(source: DirectoryHandle, name: Buffer): Promise<FileHandle | undefined> {
  try {
    return await source.openFile(name);
  } catch (error) {
    if (isSystemError(error, 'ELOOP', 'ENXIO', 'ENOENT', 'ENODEV')) return undefined;
    if (!isSystemError(error, 'EACCES', 'EPERM')) throw error;
    const file = JSON.stringify(name.toString());
    throw new SandgateError('invalid_request', `workspace.path holds a file that the server may not read: ${file}`);
  }
}

/**
 * Waits for every step, also when one fails: a step that is still under way names its folder by a descriptor, which must not be
 * closed and used for another folder meanwhile.
 */
async function allDone(steps: Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(steps)).find((step) => step.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function makeFolder(path: Buffer, uid: number | null): Promise<void> {
  await mkdir(path, { mode: 0o755 });
  if (uid !== null) await lchown(path, uid, uid);
}

function tooLarge(what: string): SandgateError {
  return new SandgateError(
    'payload_too_large',
    `workspace.path holds ${what}, which is not copied; choose a smaller folder or ignore what is not needed`,
  );
}
