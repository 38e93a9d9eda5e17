import { constants } from 'node:fs';
import { chmod, copyFile, lchown, mkdir, symlink, type FileHandle } from 'node:fs/promises';
import { isSystemError } from '../../domain/system-error.js';
import { DirectoryHandle } from '../host/directory-handle.js';
import type { Confinement } from './git-command.js';
import {
  selectFiles,
  selectionTooLarge,
  type Selection,
  type SelectionCount,
  type SelectionTaker,
} from './select-files.js';

const NAMED = 'workspace.path';

export interface CopyRequest extends Omit<Selection, 'named'> {
  workspaceDir: string;
}

/**
 * Copies what is selected of a folder of the host into the empty workspace. The original stays untouched.
 *
 * @throws SandgateError `invalid_request` for a folder that is not allowed, `payload_too_large` past a limit
 */
export async function copyFolder(on: Confinement, { workspaceDir, ...request }: CopyRequest): Promise<SelectionCount> {
  await using target = await DirectoryHandle.open(workspaceDir);
  return await selectFiles(on, { ...request, named: NAMED }, new FolderCopy(on.uid), target);
}

class FolderCopy implements SelectionTaker<DirectoryHandle> {
  readonly parallel = 16;

  constructor(private readonly uid: number | null) {}

  canTake(): boolean {
    return true;
  }

  async folder(outer: DirectoryHandle, name: Buffer): Promise<DirectoryHandle> {
    await mkdir(outer.at(name), { mode: 0o755 });
    await this.own(outer.at(name));
    return outer.child(name);
  }

  /** Of its mode only the execute bit is kept. */
  async file(folder: DirectoryHandle, name: Buffer, file: FileHandle, { mode }: { mode: number }): Promise<void> {
    const target = folder.at(name);
    try {
      await copyFile(`/proc/self/fd/${file.fd}`, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    } catch (error) {
      if (!isSystemError(error, 'ENOSPC', 'EDQUOT')) throw error;
      throw selectionTooLarge(NAMED, 'more than the disk of its sandbox (sandbox.disk_mb)');
    }
    await chmod(target, (mode & 0o100) === 0 ? 0o644 : 0o755);
    await this.own(target);
  }

  async link(folder: DirectoryHandle, name: Buffer, to: Buffer): Promise<void> {
    await symlink(to, folder.at(name));
    await this.own(folder.at(name));
  }

  private async own(path: Buffer): Promise<void> {
    if (this.uid !== null) await lchown(path, this.uid, this.uid);
  }
}
