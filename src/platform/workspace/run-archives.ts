import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { SandgateError } from '../../domain/errors.js';
import { isMissing } from '../../domain/system-error.js';
import { isRowId } from '../../domain/uuid.js';
import { packArchive } from '../archive/pack.js';
import { packTree } from '../archive/pack-tree.js';
import { ArchiveFolder } from './archive-folder.js';
import { ARCHIVE_TOPS } from './init/archive-tops.js';
import type { WorkspacePlaces } from './snapshot.js';

/** The packed workspace of a run, as whoever fetches it must find it. */
export interface WorkspaceArchive {
  /** `sha256:<hex>` over exactly the bytes of the archive. */
  digest: string;
  bytes: number;
}

/** Workspaces packed for sandboxes that share no files with this host, in `<data>/archives`. */
export class RunArchives {
  private readonly archives: ArchiveFolder;

  constructor(dataDir: string) {
    this.archives = new ArchiveFolder(join(dataDir, 'archives'));
  }

  /**
   * Packs a filled workspace, its repository and what it started from. The archive has its name when it is whole; an earlier one is replaced.
   *
   * @throws SandgateError `payload_too_large` when it becomes larger than `maxBytes`, `invalid_request` for what no archive carries
   */
  async pack(runId: string, places: WorkspacePlaces, maxBytes: number): Promise<WorkspaceArchive> {
    return this.archives.publish(checked(runId), (partial) => this.write(partial, places, maxBytes));
  }

  /**
   * Opens the archive of a run to be sent; null where it has none here.
   * @throws SandgateError `upstream_failed` when it cannot be read
   */
  async open(runId: string): Promise<{ file: FileHandle; bytes: number } | null> {
    const path = this.archives.file(checked(runId));
    try {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const found = await file.stat();
      if (found.isFile()) return { file, bytes: found.size };
      await file.close();
      throw new Error(`${path} is no file`);
    } catch (cause) {
      if (isMissing(cause)) return null;
      throw new SandgateError('upstream_failed', 'the workspace archive cannot be read', { cause });
    }
  }

  /** Gone already is success. */
  async remove(runId: string): Promise<void> {
    await this.archives.remove(checked(runId));
  }

  /** Runs whose archive was written longer ago than that. */
  async list(olderThanSecs: number): Promise<string[]> {
    const runs = new Set<string>();
    for (const { id, path } of await this.archives.list()) {
      const writtenAt = await timeOf(path);
      if (writtenAt !== null && Date.now() - writtenAt > olderThanSecs * 1000) runs.add(id);
    }
    return [...runs];
  }

  private async write(path: string, places: WorkspacePlaces, maxBytes: number): Promise<WorkspaceArchive> {
    await using file = await open(path, 'w', 0o600);
    const hash = createHash('sha256');
    let bytes = 0;
    const target = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        hash.update(chunk);
        bytes += chunk.length;
        file.writeFile(chunk).then(() => done(), done);
      },
    });
    await packArchive(target, maxBytes, async (packer) => {
      await packTree(packer, places.workspaceDir, ARCHIVE_TOPS.workspace);
      await packTree(packer, places.baselineDir, ARCHIVE_TOPS.baseline);
    });
    await file.sync();
    return { digest: `sha256:${hash.digest('hex')}`, bytes };
  }
}

/** An id that may be part of a path. */
function checked(runId: string): string {
  if (!isRowId(runId)) throw new SandgateError('invalid_request', 'this is not the id of a run');
  return runId;
}

/** When a file was last written, in milliseconds; null for one that is gone. */
async function timeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}
