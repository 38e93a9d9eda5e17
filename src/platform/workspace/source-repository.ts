import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { isInside } from './allowed-roots.js';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';
import { failureText, runGit, type Confinement } from './git-command.js';
import { OwnedWriter, writeGitFolder } from './git-folder.js';
import { IgnoreRules } from '../../domain/workspace/ignore-rules.js';
import { readSmallFile } from './read-small-file.js';
import type { ObjectFormat } from './scanner/content.js';

/** A repository found in or above a folder of the host. Its configuration is never used. */
export interface SourceRepository {
  /** Canonical path of the worktree's top. */
  top: string;
  /** Canonical path of its own git folder (`.git`, or what the file of that name points to). */
  gitDir: string;
}

/** The repository whose worktree starts in this folder. @param allowed canonical folders that its git folder must lie in */
export async function repositoryAt(
  folder: DirectoryHandle,
  allowed: readonly string[],
): Promise<SourceRepository | undefined> {
  const top = await folder.realPath();
  const gitDir = await gitFolderOf(folder, top);
  if (gitDir === undefined) return undefined;
  if (!allowed.some((root) => isInside(gitDir, root))) {
    throw new SandgateError(
      'invalid_request',
      `the git folder ${gitDir} of ${top} is not inside a folder of SERVICE_LOCAL_COPY_ROOTS`,
    );
  }
  return { top, gitDir };
}

async function gitFolderOf(folder: DirectoryHandle, top: string): Promise<string | undefined> {
  const pointer = await readSmallFile(folder, '.git');
  const target = /^gitdir: (.+)$/m.exec(pointer ?? '')?.[1];
  try {
    await using gitDir =
      target === undefined ? await folder.child('.git') : await DirectoryHandle.open(resolve(top, target.trim()));
    return await gitDir.realPath();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

/** Rules of `.git/info/exclude`; the user's own excludes file is configuration and is not read. */
export async function excludeRules(repository: SourceRepository): Promise<IgnoreRules> {
  const text = await readBelow(repository.gitDir, 'info', 'exclude');
  return IgnoreRules.none.with('', text);
}

export async function objectFormatOf(gitDir: string): Promise<ObjectFormat> {
  const configuration = await readBelow(gitDir, '', 'config');
  return /^\s*objectformat\s*=\s*"?sha256"?\s*$/im.test(configuration ?? '') ? 'sha256' : 'sha1';
}

/** Paths that a repository tracks, relative to its top, as raw bytes written as Latin-1. */
export class TrackedPaths {
  static readonly none = new TrackedPaths([]);
  private readonly paths: ReadonlySet<string>;
  private readonly folders = new Set<string>();

  constructor(paths: readonly string[]) {
    this.paths = new Set(paths);
    for (const path of paths) {
      for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
        this.folders.add(path.slice(0, slash + 1));
      }
    }
  }

  has(path: string): boolean {
    return this.paths.has(path);
  }

  /** @param folder with a trailing slash */
  hasBelow(folder: string): boolean {
    return this.folders.has(folder);
  }
}

/**
 * What a repository tracks. Only a copy of the index is read, in
 * confinement and beside a configuration of our own.
 */
export async function trackedPaths(on: Confinement, repository: SourceRepository): Promise<TrackedPaths> {
  const gitDir = join(on.scratch, 'tracked.git');
  await writeGitFolder(gitDir, { branch: 'none', format: await objectFormatOf(repository.gitDir), uid: on.uid });
  if (!(await copyIndex(repository, gitDir, new OwnedWriter(on.uid)))) return TrackedPaths.none;
  const result = await runGit(on, gitDir, ['ls-files', '-z', '--cached'], {
    env: { GIT_WORK_TREE: on.scratch },
    maxOutputBytes: MAX_LISTING_BYTES,
  });
  if (result.exitCode !== 0) {
    throw new SandgateError('invalid_request', `the index of ${repository.top} cannot be read: ${failureText(result)}`);
  }
  return new TrackedPaths(
    result.stdout
      .toString('latin1')
      .split('\0')
      .filter((path) => path !== ''),
  );
}

const MAX_LISTING_BYTES = 256 * 1024 * 1024;

/** A split index keeps most of its entries in a second file beside it. */
async function copyIndex(repository: SourceRepository, gitDir: string, writer: OwnedWriter): Promise<boolean> {
  const names = (await readdir(repository.gitDir)).filter(
    (name) => name === 'index' || /^sharedindex\.[0-9a-f]+$/.test(name),
  );
  for (const name of names) {
    await using folder = await DirectoryHandle.open(repository.gitDir);
    await using file = await folder.openFile(name);
    if (!(await file.stat()).isFile()) continue;
    await writer.file(join(gitDir, name), await file.readFile());
  }
  return names.includes('index');
}

async function readBelow(gitDir: string, folderName: string, name: string): Promise<string | undefined> {
  try {
    await using folder = await DirectoryHandle.open(join(gitDir, folderName));
    return await readSmallFile(folder, name);
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}

/** The repository that a folder belongs to: its own or the nearest one above it inside the allowed folders. */
export async function enclosingRepository(
  path: string,
  allowed: readonly string[],
): Promise<SourceRepository | undefined> {
  for (let folder = path; allowed.some((root) => isInside(folder, root)); folder = dirname(folder)) {
    await using handle = await DirectoryHandle.open(folder);
    const found = await repositoryAt(handle, allowed);
    if (found !== undefined) return found;
    if (folder === dirname(folder)) break;
  }
  return undefined;
}
