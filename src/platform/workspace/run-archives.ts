import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { SandgateError } from '../../domain/errors.js';
import { isMissing } from '../../domain/system-error.js';
import { isRowId } from '../../domain/uuid.js';
import { packArchive } from '../archive/pack.js';
import { packTree } from '../archive/pack-tree.js';
import { namesIn } from '../host/folders.js';
import { ARCHIVE_TOPS } from './init/archive-tops.js';
import type { WorkspacePlaces } from './snapshot.js';

const PACKED = '.tar.gz';
const PARTIAL = `${PACKED}.partial`;
const ID_LENGTH = 36;

/** The packed workspace of a run, as whoever fetches it must find it. */
export interface WorkspaceArchive {
  /** `sha256:<hex>` over exactly the bytes of the archive. */
  digest: string;
  bytes: number;
}

/** Workspaces packed for sandboxes that share no files with this host, in `<data>/archives`. */
export class RunArchives {
  private readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'archives');
  }

  /**
   * Packs a filled workspace, its repository and what it started from. The archive has its name when it is whole; an earlier one is replaced.
   *
   * @throws SandgateError `payload_too_large` when it becomes larger than `maxBytes`, `invalid_request` for what no archive carries
   */
  async pack(runId: string, places: WorkspacePlaces, maxBytes: number): Promise<WorkspaceArchive> {
    const partial = this.file(runId, PARTIAL);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    try {
      const archive = await this.write(partial, places, maxBytes);
      await rename(partial, this.file(runId, PACKED));
      return archive;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  /**
   * Opens the archive of a run to be sent; null where it has none here.
   * @throws SandgateError `upstream_failed` when it cannot be read
   */
  async open(runId: string): Promise<{ file: FileHandle; bytes: number } | null> {
    const path = this.file(runId, PACKED);
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
    for (const ending of [PACKED, PARTIAL]) await rm(this.file(runId, ending), { force: true });
  }

  /** Runs whose archive was written longer ago than that. */
  async list(olderThanSecs: number): Promise<string[]> {
    const names = await namesIn(this.folder);
    const runs = new Set<string>();
    for (const name of names) {
      const runId = name.slice(0, ID_LENGTH);
      const writtenAt = isRowId(runId) ? await timeOf(join(this.folder, name)) : null;
      if (writtenAt !== null && Date.now() - writtenAt > olderThanSecs * 1000) runs.add(runId);
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

  private file(runId: string, ending: string): string {
    if (!isRowId(runId)) throw new SandgateError('invalid_request', 'this is not the id of a run');
    return join(this.folder, `${runId}${ending}`);
  }
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
