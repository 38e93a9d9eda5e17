import { constants } from 'node:fs';
import { chown, copyFile, link } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { canonicalRoots, openAllowed } from './allowed-roots.js';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';
import { OwnedWriter, writeGitFolder } from './git-folder.js';
import { readSmallFile } from './read-small-file.js';
import { objectFormatOf, repositoryAt } from './source-repository.js';
import type { ObjectFormat } from './scanner/content.js';

const MAX_FILES = 500_000;
const MAX_DEPTH = 64;

/**
 * Puts the objects and references of a repository on this host where the run's uid may read them, beside a configuration of our
 * own: what the repository configures (hooks, filters, alternates, monitors) is not taken. Objects are linked where that is
 * possible, so that a large history costs nothing.
 *
 * @param path of the worktree or of the bare repository, inside one of `roots`
 */
export async function stageRepository(
  path: string,
  roots: readonly string[],
  target: string,
  uid: number | null,
): Promise<ObjectFormat> {
  const gitDir = await findGitDir(path, roots);
  const format = await objectFormatOf(gitDir);
  await using source = await DirectoryHandle.open(gitDir);
  await refuseForeignObjects(source, path);
  const writer = new OwnedWriter(uid);
  await writeGitFolder(target, { branch: 'none', format, uid });
  for (const name of ['HEAD', 'packed-refs', 'shallow']) {
    const text = await readWholeFile(source, name);
    if (text !== undefined) await writer.file(join(target, name), text);
  }
  const staging = new Staging(writer, uid);
  await using objects = await source.child('objects');
  await staging.copy(objects, join(target, 'objects'), 'link', 0);
  await using references = await source.child('refs');
  await staging.copy(references, join(target, 'refs'), 'copy', 0);
  return format;
}

async function findGitDir(path: string, roots: readonly string[]): Promise<string> {
  await using folder = await openAllowed(path, roots, 'workspace.clone_url');
  const repository = await repositoryAt(folder, await canonicalRoots(roots));
  const gitDir = repository?.gitDir ?? (await folder.realPath());
  await using git = await DirectoryHandle.open(gitDir);
  if ((await readSmallFile(git, 'commondir')) !== undefined) {
    throw refusal(`workspace.clone_url ${path} is a linked worktree; name its main repository`);
  }
  if (
    (await readSmallFile(git, 'HEAD')) === undefined ||
    !(await isDirectory(git, 'objects')) ||
    !(await isDirectory(git, 'refs'))
  ) {
    throw refusal(`workspace.clone_url ${path} is not a git repository`);
  }
  if (await isDirectory(git, 'reftable')) {
    throw refusal(`workspace.clone_url ${path} keeps its references in a reftable, which is not supported`);
  }
  return gitDir;
}

/** Objects that lie in another repository might lie outside the allowed folders. */
async function refuseForeignObjects(source: DirectoryHandle, path: string): Promise<void> {
  await using objects = await source.child('objects');
  if (!(await isDirectory(objects, 'info'))) return;
  await using info = await objects.child('info');
  const alternates = await readSmallFile(info, 'alternates');
  if (alternates === undefined || alternates.trim() === '') return;
  throw refusal(
    `workspace.clone_url ${path} borrows objects of another repository (objects/info/alternates); run "git repack -a -d" in it first`,
  );
}

class Staging {
  private files = 0;

  constructor(
    private readonly writer: OwnedWriter,
    private readonly uid: number | null,
  ) {}

  async copy(source: DirectoryHandle, target: string, how: 'link' | 'copy', depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw refusal('workspace.clone_url names a repository with folders nested too deeply');
    for await (const entry of source.entries()) {
      const name = entry.name.toString('utf8');
      if (name === 'alternates' || name === 'http-alternates' || name.endsWith('.lock') || name.startsWith('tmp_'))
        continue;
      const path = join(target, name);
      if (await source.isDirectory(entry)) {
        await this.writer.folder(path);
        await using inner = await source.child(entry.name);
        await this.copy(inner, path, how, depth + 1);
      } else if (entry.isFile()) {
        if (++this.files > MAX_FILES)
          throw refusal('workspace.clone_url names a repository of too many files; run "git gc" in it first');
        await this.copyOne(source, entry.name, path, how);
      }
    }
  }

  private async copyOne(source: DirectoryHandle, name: Buffer, path: string, how: 'link' | 'copy'): Promise<void> {
    await using file = await source.openFile(name);
    const stats = await file.stat();
    if (!stats.isFile()) return;
    // Only what the confined uid may read through the link; the owner and the mode of a linked file stay the operator's.
    const readable = this.uid === null || this.uid === stats.uid || (stats.mode & 0o004) !== 0;
    if (how === 'link' && readable && (await tryLink(source.at(name), path))) return;
    await copyFile(`/proc/self/fd/${file.fd}`, path, constants.COPYFILE_FICLONE);
    if (this.uid !== null) await chown(path, this.uid, this.uid);
  }
}

/** A hard link, where both lie on one file system and the system allows it. */
async function tryLink(from: Buffer, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (isSystemError(error, 'EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOENT')) return false;
    throw error;
  }
}

async function isDirectory(folder: DirectoryHandle, name: string): Promise<boolean> {
  try {
    return (await folder.lstat(name)).isDirectory();
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

async function readWholeFile(folder: DirectoryHandle, name: string): Promise<Buffer | undefined> {
  try {
    await using file = await folder.openFile(name);
    return (await file.stat()).isFile() ? await file.readFile() : undefined;
  } catch (error) {
    if (isSystemError(error, 'ENOENT', 'ELOOP')) return undefined;
    throw error;
  }
}

function refusal(message: string): SandgateError {
  return new SandgateError('invalid_request', message);
}
