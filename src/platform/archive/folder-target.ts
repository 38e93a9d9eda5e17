import { closeSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { staysInside, toLatin1 } from '../../domain/workspace/link-target.js';
import type { ArchiveLink, ArchiveTarget } from './extract.js';

/**
 * Writes the entries of an archive into a folder, the one that this process stands in by default, which is empty and which nobody else changes
 * meanwhile.
 * No link exists before the last file is written, so no path leads elsewhere. For a program that does nothing else: it waits for the
 * disk.
 */
export class FolderTarget implements ArchiveTarget {
  constructor(private readonly root = '.') {}

  folder(path: string): void {
    onDisk(() => mkdirSync(this.at(path), 0o755));
  }

  async file(path: string, content: AsyncIterable<Buffer>, executable: boolean): Promise<void> {
    const file = onDisk(() => openSync(this.at(path), 'wx', executable ? 0o755 : 0o644));
    try {
      for await (const chunk of content) onDisk(() => writeWhole(file, chunk));
    } finally {
      closeSync(file);
    }
  }

  async links(all: readonly ArchiveLink[]): Promise<number> {
    const targets = new Map(all.map(({ path, target }) => [toLatin1(path), toLatin1(target)]));
    let made = 0;
    for (const { path, target } of all) {
      const folder = toLatin1(path.slice(0, path.lastIndexOf('/') + 1));
      if (!(await staysInside(folder, toLatin1(target), (place) => targets.get(place)))) continue;
      onDisk(() => symlinkSync(target, this.at(path)));
      made++;
    }
    return made;
  }

  private at(path: string): string {
    return join(this.root, path);
  }
}

function writeWhole(file: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at);
}

function onDisk<Result>(step: () => Result): Result {
  try {
    return step();
  } catch (error) {
    if (!isSystemError(error, 'ENOSPC', 'EDQUOT')) throw error;
    throw new SandgateError(
      'payload_too_large',
      'the archive holds more than the disk of its sandbox (sandbox.disk_mb)',
      {
        cause: error,
      },
    );
  }
}
