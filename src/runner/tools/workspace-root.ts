import { constants } from 'node:fs';
import { lstat, mkdir, open, readlink } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, isSystemError } from '../../domain/system-error.js';
import { ToolFailure } from './tool-failure.js';

const DIRECTORY_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FILE_GUARDS = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const DIRECTORY_MODE = 0o777;
const FILE_MODE = 0o666;

export interface OpenedEntry extends AsyncDisposable {
  handle: FileHandle;
  /** Where the entry really is, as the kernel says; the gate judged exactly this path. */
  realPath: string;
}

/**
 * The workspace as a place that paths cannot leave. Every component is opened relative to the directory before it and
 * without following links (by way of /proc/self/fd, Node having no openat), so a link that is swapped in between the
 * gate's verdict and the act leads to an error and never elsewhere (docs/design/policy.md).
 */
export class WorkspaceRoot implements AsyncDisposable {
  private constructor(
    /** Real path of the workspace. */
    readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  static async open(directory: string): Promise<WorkspaceRoot> {
    const handle = await open(directory, constants.O_RDONLY | constants.O_DIRECTORY);
    return new WorkspaceRoot(await readlink(descriptorPath(handle)), handle);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }

  /**
   * Components of `filePath` below the workspace after `.` and `..` are folded lexically, as the gate folds them; relative
   * paths start at the workspace. Throws ToolFailure for a path that lies outside.
   */
  components(filePath: string): string[] {
    if (filePath.includes('\0')) throw new ToolFailure('the path contains a NUL character');
    const absolute = path.posix.resolve(this.path, filePath);
    const relative = path.posix.relative(this.path, absolute);
    if (filePath.startsWith('~') || relative === '..' || relative.startsWith('../')) {
      throw new ToolFailure(`${filePath} is outside the workspace ${this.path}`);
    }
    return relative === '' ? [] : relative.split('/');
  }

  /** Opens a regular file with `flags`; the caller disposes it. Creates missing parents when asked to. */
  async openFile(filePath: string, flags: number, options: { createParents?: boolean } = {}): Promise<OpenedEntry> {
    const components = this.components(filePath);
    const name = components.pop();
    if (name === undefined) throw new ToolFailure(`${filePath} is a directory`);
    const parent = await this.#walk(components, options.createParents === true);
    try {
      const handle = await guarded(filePath, parent, name, () =>
        open(childPath(parent, name), flags | FILE_GUARDS, FILE_MODE),
      );
      return await this.#verified(handle, [...components, name], filePath);
    } finally {
      if (parent !== this.handle) await parent.close();
    }
  }

  /** Opens a directory below the workspace; the caller disposes it. */
  async openDirectory(filePath: string): Promise<OpenedEntry> {
    const components = this.components(filePath);
    const last = components.length === 0 ? '.' : components.pop();
    const parent = await this.#walk(components, false);
    try {
      const handle = await openSubdirectory(parent, last ?? '.');
      return { handle, realPath: await readlink(descriptorPath(handle)), [Symbol.asyncDispose]: () => handle.close() };
    } finally {
      if (parent !== this.handle) await parent.close();
    }
  }

  async #walk(components: string[], createMissing: boolean): Promise<FileHandle> {
    let current = this.handle;
    for (const component of components) {
      const parent = current;
      try {
        current = await openSubdirectory(parent, component, createMissing);
      } finally {
        if (parent !== this.handle) await parent.close();
      }
    }
    return current;
  }

  /** Refuses anything but a regular file, and a file that a renamed directory carried away between the steps of the walk. */
  async #verified(handle: FileHandle, components: string[], asked: string): Promise<OpenedEntry> {
    try {
      const realPath = await readlink(descriptorPath(handle));
      if (realPath !== path.posix.join(this.path, ...components))
        throw new ToolFailure(`${asked} moved while it was opened`);
      if (!(await handle.stat()).isFile()) throw new ToolFailure(`${asked} is not a regular file`);
      return { handle, realPath, [Symbol.asyncDispose]: () => handle.close() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}

/** Opens `name` in `parent` as a directory, never through a link; the caller closes it. */
export async function openSubdirectory(parent: FileHandle, name: string, createMissing = false): Promise<FileHandle> {
  const target = childPath(parent, name);
  if (createMissing) await makeDirectory(target);
  return guarded(name, parent, name, () => open(target, DIRECTORY_FLAGS));
}

/** Path by which the directory behind an open handle can be listed, wherever it is by now. */
export function descriptorPath(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

export function childPath(parent: FileHandle, name: string): string {
  return `${descriptorPath(parent)}/${name}`;
}

async function makeDirectory(target: string): Promise<void> {
  try {
    await mkdir(target, DIRECTORY_MODE);
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
}

async function guarded<T>(asked: string, parent: FileHandle, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw (await explained(error, asked, parent, name)) ?? error;
  }
}

async function explained(error: unknown, asked: string, parent: FileHandle, name: string): Promise<ToolFailure | null> {
  switch (codeOf(error)) {
    case 'ENOENT':
      return new ToolFailure(`${asked} does not exist`);
    case 'EISDIR':
      return new ToolFailure(`${asked} is a directory`);
    case 'EACCES':
    case 'EPERM':
      return new ToolFailure(`${asked}: permission denied`);
    case 'ENXIO':
      return new ToolFailure(`${asked} is not a regular file`);
    case 'ENAMETOOLONG':
      return new ToolFailure('the path is too long');
    case 'ELOOP':
    case 'ENOTDIR':
      return (await isLink(parent, name))
        ? new ToolFailure(`${asked} is a symbolic link; links are not followed, name the file that it points to`)
        : new ToolFailure(`${asked} is not a directory`);
    default:
      return null;
  }
}

async function isLink(parent: FileHandle, name: string): Promise<boolean> {
  try {
    return (await lstat(childPath(parent, name))).isSymbolicLink();
  } catch (error) {
    // Only the wording of a refusal depends on this, and the entry may have gone meanwhile.
    if (isSystemError(error, 'ENOENT')) return false;
    throw error;
  }
}
