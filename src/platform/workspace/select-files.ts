import type { Dirent } from 'node:fs';
import { lchown, mkdir, readlink, type FileHandle } from 'node:fs/promises';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { IgnoreRules, IncludeGlobs } from '../../domain/workspace/ignore-rules.js';
import { MAX_SELECTED_BYTES, MAX_SELECTED_FILES } from '../../domain/workspace/upload-limits.js';
import { DirectoryHandle } from '../host/directory-handle.js';
import { canonicalRoots, isInside, openAllowed } from './allowed-roots.js';
import type { Confinement } from './git-command.js';
import { leadsInside } from './link-target.js';
import { readSmallFile } from './read-small-file.js';
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

const MAX_DEPTH = 250;

export interface Selection {
  path: string;
  include: readonly string[];
  /** Folders below which the path, and the git folders of its repositories, must lie. */
  roots: readonly string[];
  /** State of a server, which is never selected. */
  stateDir: string;
  /** What the folder is called in refusals. */
  named: string;
}

/** What was taken, and what our own rules left out (secrets, links that leave the folder, special files, the state folder). */
export interface SelectionCount {
  files: number;
  bytes: number;
  leftOut: number;
}

/**
 * What is done with a selection. `Place` is where the entries of one folder go; the entries of one folder may be handed over at once, up
 * to `parallel` of them.
 */
export interface SelectionTaker<Place extends AsyncDisposable> {
  readonly parallel: number;
  /** False leaves an entry out. @param path from the selected folder's top */
  canTake(path: string, linkTarget?: Buffer): boolean;
  folder(outer: Place, name: Buffer): Promise<Place>;
  file(place: Place, name: Buffer, file: FileHandle, of: { size: number; mode: number }): Promise<void>;
  link(place: Place, name: Buffer, target: Buffer): Promise<void>;
}

/** Where the walk stands in a repository: its tracked paths, its ignore rules, and the folder's path inside it. */
interface Position {
  tracked: TrackedPaths;
  rules: IgnoreRules;
  /** Empty or ending in a slash. */
  inRepository: string;
  /** The same from the selected folder's top. */
  inSelection: string;
  /** Inside an ignored folder only tracked and included files are taken. */
  ignored: boolean;
  depth: number;
}

/**
 * Hands over what git tracks, what is neither tracked nor ignored, and what `include` adds, of a folder. Nothing in it is changed; no
 * `.git` is taken; nested repositories follow their own rules.
 *
 * @param top where the entries of the folder itself go
 * @throws SandgateError `invalid_request` for a folder that is not allowed, `payload_too_large` past a limit
 */
export async function selectFiles<Place extends AsyncDisposable>(
  on: Confinement,
  selection: Selection,
  taker: SelectionTaker<Place>,
  top: Place,
): Promise<SelectionCount> {
  await using source = await openAllowed(selection.path, selection.roots, selection.named);
  const [stateDir] = await canonicalRoots([selection.stateDir]);
  const path = await source.realPath();
  if (stateDir !== undefined && isInside(path, stateDir)) {
    throw new SandgateError(
      'invalid_request',
      `${selection.named} ${selection.path} is refused: it lies in the state folder of the server`,
    );
  }
  const walk = new SelectionWalk(
    on,
    { ...selection, top: path, stateDir, allowed: await canonicalRoots(selection.roots) },
    taker,
  );
  await walk.run(source, top);
  return walk.count;
}

class SelectionWalk<Place extends AsyncDisposable> {
  readonly count: SelectionCount = { files: 0, bytes: 0, leftOut: 0 };
  private readonly globs: IncludeGlobs;
  private repositories = 0;

  constructor(
    private readonly on: Confinement,
    private readonly request: Omit<Selection, 'stateDir'> & {
      top: string;
      stateDir: string | undefined;
      allowed: string[];
    },
    private readonly taker: SelectionTaker<Place>,
  ) {
    this.globs = new IncludeGlobs(request.include);
  }

  async run(source: DirectoryHandle, top: Place): Promise<void> {
    const repository = await enclosingRepository(this.request.top, this.request.allowed);
    const start: Position = {
      tracked: TrackedPaths.none,
      rules: IgnoreRules.none,
      inRepository: '',
      inSelection: '',
      ignored: false,
      depth: 0,
    };
    await this.takeInside(
      source,
      top,
      repository === undefined ? start : await this.enter(repository, start, this.request.top),
    );
  }

  /** The position of a folder in a repository, with the rules of the folders between the repository's top and it. */
  private async enter(repository: SourceRepository, at: Position, folder: string): Promise<Position> {
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
    return { ...at, tracked, rules, inRepository };
  }

  private async takeInside(source: DirectoryHandle, place: Place, outer: Position): Promise<void> {
    const rules = outer.rules.with(outer.inRepository, await readSmallFile(source, '.gitignore'));
    const at = { ...outer, rules };
    const directories: Buffer[] = [];
    let steps: Promise<void>[] = [];
    try {
      for await (const entry of source.entries()) {
        if (isGitAlias(entry.name)) continue;
        if (await source.isDirectory(entry)) directories.push(entry.name);
        else steps.push(this.takeEntry(source, place, entry, at));
        if (steps.length < this.taker.parallel) continue;
        await allDone(steps);
        steps = [];
      }
    } finally {
      await allDone(steps);
    }
    for (const name of directories) await this.takeDirectory(source, place, name, at);
  }

  private async takeDirectory(source: DirectoryHandle, place: Place, name: Buffer, at: Position): Promise<void> {
    this.checkTime();
    const text = name.toString('utf8');
    const ignored = at.ignored || at.rules.ignores(`${at.inRepository}${text}`, true);
    const inSelection = `${at.inSelection}${text}/`;
    let inner: Position = {
      ...at,
      inRepository: `${at.inRepository}${text}/`,
      inSelection,
      ignored,
      depth: at.depth + 1,
    };
    if (ignored && !this.isWorthEntering(inner)) return;
    await using folder = await source.child(name);
    const path = await folder.realPath();
    if (path === this.request.stateDir || inner.depth > MAX_DEPTH || !this.taker.canTake(inSelection.slice(0, -1))) {
      this.count.leftOut++;
      return;
    }
    const nested = await repositoryAt(folder, this.request.allowed);
    if (nested !== undefined) inner = await this.enter(nested, inner, path);
    await using taken = await this.taker.folder(place, name);
    await this.takeInside(folder, taken, inner);
  }

  /** An ignored folder is entered only for tracked files in it or for globs that may match below. */
  private isWorthEntering(at: Position): boolean {
    if (this.globs.mayMatchBelow(at.inSelection.slice(0, -1))) return true;
    return at.tracked.hasBelow(Buffer.from(at.inRepository).toString('latin1'));
  }

  private async takeEntry(source: DirectoryHandle, place: Place, entry: Dirent<Buffer>, at: Position): Promise<void> {
    const { name } = entry;
    if (!this.isWanted(name, at)) return;
    if (entry.isSymbolicLink()) return this.takeLink(source, place, name, at);
    const text = name.toString('utf8');
    const canTake = this.taker.canTake(`${at.inSelection}${text}`) && !(await isSecretFile(source, text));
    await using file = canTake ? await openToRead(source, name, this.request.named) : undefined;
    const stats = await file?.stat();
    if (file === undefined || stats?.isFile() !== true) {
      this.count.leftOut++;
      return;
    }
    this.count.files++;
    this.count.bytes += stats.size;
    this.checkLimits();
    await this.taker.file(place, name, file, stats);
  }

  private isWanted(name: Buffer, at: Position): boolean {
    const text = name.toString('utf8');
    const ignored = at.ignored || at.rules.ignores(`${at.inRepository}${text}`, false);
    if (!ignored) return true;
    const raw = Buffer.concat([Buffer.from(at.inRepository), name]).toString('latin1');
    return at.tracked.has(raw) || this.globs.matches(`${at.inSelection}${text}`);
  }

  private async takeLink(source: DirectoryHandle, place: Place, name: Buffer, at: Position): Promise<void> {
    const to = await readlink(source.at(name), { encoding: 'buffer' });
    const text = name.toString('utf8');
    const canTake = this.taker.canTake(`${at.inSelection}${text}`, to) && !(await isSecretFile(source, text));
    if (!canTake || !(await leadsInside(this.request.top, at.inSelection, to))) {
      this.count.leftOut++;
      return;
    }
    this.count.files++;
    this.checkLimits();
    await this.taker.link(place, name, to);
  }

  private checkLimits(): void {
    const { files, bytes } = this.count;
    if (files > MAX_SELECTED_FILES) throw this.tooLarge(`more than ${MAX_SELECTED_FILES.toLocaleString('en')} files`);
    if (bytes > MAX_SELECTED_BYTES) throw this.tooLarge('more than 2 GiB');
  }

  private tooLarge(what: string): SandgateError {
    return selectionTooLarge(this.request.named, what);
  }

  private checkTime(): void {
    this.on.signal?.throwIfAborted();
    if (Date.now() > this.on.until)
      throw new SandgateError('payload_too_large', `${this.request.named} takes too long to copy`);
  }
}

/** A refusal that says how to make the selection smaller. */
export function selectionTooLarge(named: string, what: string): SandgateError {
  return new SandgateError(
    'payload_too_large',
    `${named} holds ${what}, which is not copied; choose a smaller folder or ignore what is not needed`,
  );
}

/** Undefined for what cannot be opened as a file: it was a link or a socket, or it is gone since it was listed. */
async function openToRead(source: DirectoryHandle, name: Buffer, named: string): Promise<FileHandle | undefined> {
  try {
    return await source.openFile(name);
  } catch (error) {
    if (isSystemError(error, 'ELOOP', 'ENXIO', 'ENOENT', 'ENODEV')) return undefined;
    if (!isSystemError(error, 'EACCES', 'EPERM')) throw error;
    const file = JSON.stringify(name.toString());
    throw new SandgateError('invalid_request', `${named} holds a file that may not be read: ${file}`);
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
