import { constants, copyFile, link, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { isMissing, isSystemError } from '../../../../src/domain/system-error.js';
import { isRowId } from '../../../../src/domain/uuid.js';
import { DocsvcError } from '../../domain/errors.js';
import type { PartRange } from '../../domain/uploads/part-plan.js';
import type { BlobHead, BlobStore, KeptOwner, WrittenBlob } from './blob-store.js';
import { FsLayout, makeDurableFolder, syncFolder } from './fs-layout.js';
import { writeStream } from './write-stream.js';

const DEFAULT_STALL_MS = 60_000;

/**
 * Blobs as files of this host. An upload is one sparse file of its final size, into which parts are written at their places, in any
 * order; completing it is a rename, so its bytes are written once. The folder is closed, the files in it are not: a confined program
 * may read what it is shown as another user.
 */
export class FsBlobStore implements BlobStore {
  readonly transport = 'direct';

  /** Copies under way, by their upload. */
  private readonly reopening = new Map<string, Promise<void>>();

  private constructor(
    private readonly layout: FsLayout,
    private readonly stallMs: number,
  ) {}

  /** Makes the folders where they are missing. */
  static async open(root: string, { stallMs = DEFAULT_STALL_MS } = {}): Promise<FsBlobStore> {
    const layout = new FsLayout(root);
    await mkdir(root, { recursive: true, mode: 0o700 });
    for (const folder of [layout.uploads, layout.blobs, layout.incoming]) await makeDurableFolder(folder);
    return new FsBlobStore(layout, stallMs);
  }

  async beginUpload(uploadId: string, sizeBytes: number): Promise<void> {
    await using file = await open(this.layout.upload(uploadId), 'a', 0o644);
    await file.truncate(sizeBytes);
    await file.sync();
    await syncFolder(this.layout.uploads);
  }

  async putPart(uploadId: string, { offset, length }: PartRange, body: Readable): Promise<Buffer> {
    await using file = await this.openUpload(uploadId);
    const { stallMs } = this;
    const tooLong = (): DocsvcError => wrongLength(length, `more than ${length}`);
    const { sizeBytes, sha256 } = await writeStream(file, body, { offset, maxBytes: length, stallMs, tooLong });
    if (sizeBytes < length) throw wrongLength(length, `${sizeBytes}`);
    await file.datasync();
    return sha256;
  }

  async completeUpload(uploadId: string, key: string): Promise<void> {
    await this.move(this.layout.upload(uploadId), this.layout.blob(key));
  }

  /** Many parts ask at once, and one copy is enough. */
  async reopenUpload(uploadId: string, key: string): Promise<void> {
    const copying = this.reopening.get(uploadId) ?? this.copyBack(uploadId, key);
    this.reopening.set(uploadId, copying);
    try {
      await copying;
    } finally {
      this.reopening.delete(uploadId);
    }
  }

  async abortUpload(uploadId: string): Promise<void> {
    await rm(this.layout.upload(uploadId), { force: true });
  }

  async put(key: string, body: Readable, maxBytes: number): Promise<WrittenBlob> {
    const partial = join(this.layout.incoming, uuidv7());
    try {
      const written = await this.writePartial(partial, body, maxBytes);
      await this.move(partial, this.layout.blob(key));
      return written;
    } finally {
      await rm(partial, { force: true });
    }
  }

  async copy(from: string, to: string): Promise<void> {
    const path = this.layout.blob(to);
    await makeDurableFolder(dirname(path));
    await linkOnce(this.layout.blob(from), path);
  }

  async head(key: string): Promise<BlobHead | null> {
    try {
      return { sizeBytes: (await stat(this.layout.blob(key))).size };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async readRange(key: string, range?: PartRange): Promise<Readable> {
    const file = await openExisting(this.layout.blob(key), 'r');
    if (range === undefined) return file.createReadStream();
    return file.createReadStream({ start: range.offset, end: range.offset + range.length - 1 });
  }

  async localFile(key: string): Promise<string> {
    if ((await this.head(key)) === null) throw gone();
    return this.layout.blob(key);
  }

  async deleteOwner(ownerId: string): Promise<void> {
    await rm(this.layout.owner(ownerId), { recursive: true, force: true });
  }

  async *owners(): AsyncIterable<KeptOwner> {
    for await (const shard of await opendir(this.layout.blobs)) yield* this.rowsIn(join(this.layout.blobs, shard.name));
  }

  async *uploads(): AsyncIterable<KeptOwner> {
    yield* this.rowsIn(this.layout.uploads);
  }

  async sweepIncoming(before: Date): Promise<void> {
    for await (const { ownerId, changedAt } of this.rowsIn(this.layout.incoming))
      if (changedAt < before) await rm(join(this.layout.incoming, ownerId), { force: true });
  }

  private async *rowsIn(folder: string): AsyncIterable<KeptOwner> {
    for await (const { name } of await opendir(folder)) {
      if (!isRowId(name)) continue;
      try {
        yield { ownerId: name, changedAt: (await stat(join(folder, name))).mtime };
      } catch (error) {
        // It was deleted while the folder was read.
        if (!isMissing(error)) throw error;
      }
    }
  }

  /** The file system shares the bytes until they are written to, where it can. */
  private async copyBack(uploadId: string, key: string): Promise<void> {
    const path = this.layout.upload(uploadId);
    if (await isThere(path)) return;
    const partial = join(this.layout.incoming, uuidv7());
    try {
      await copyExisting(this.layout.blob(key), partial);
      await linkOnce(partial, path);
    } finally {
      await rm(partial, { force: true });
    }
  }

  private async openUpload(uploadId: string): ReturnType<typeof open> {
    return openExisting(this.layout.upload(uploadId), 'r+');
  }

  private async writePartial(partial: string, body: Readable, maxBytes: number): Promise<WrittenBlob> {
    await using file = await open(partial, 'wx', 0o644);
    const tooLong = (): DocsvcError => new DocsvcError('too_large', `the content has more than ${maxBytes} bytes`);
    const written = await writeStream(file, body, { offset: 0, maxBytes, stallMs: this.stallMs, tooLong });
    await file.sync();
    return written;
  }

  /** Whoever comes second, or again after a crash, finds it moved. */
  private async move(from: string, to: string): Promise<void> {
    await makeDurableFolder(dirname(to));
    try {
      await rename(from, to);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await assertThere(to);
    }
    await syncFolder(dirname(to));
    await syncFolder(dirname(from));
  }
}

async function assertThere(path: string): Promise<void> {
  if (!(await isThere(path))) throw gone();
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Gives a file a second name; whoever comes second leaves what is there. */
async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) throw gone(error);
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
  await syncFolder(dirname(to));
}

async function copyExisting(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if (isMissing(error)) throw gone(error);
    if (isSystemError(error, 'ENOSPC', 'EDQUOT'))
      throw new DocsvcError('unavailable', 'the disk of the server has no room for this', { cause: error });
    throw error;
  }
  await using file = await open(to, 'r');
  await file.sync();
}

async function openExisting(path: string, flags: string): ReturnType<typeof open> {
  try {
    return await open(path, flags);
  } catch (error) {
    throw isMissing(error) ? gone(error) : error;
  }
}

function gone(cause?: unknown): DocsvcError {
  return new DocsvcError('not_found', 'the store does not have these bytes any more', { cause });
}

function wrongLength(length: number, received: string): DocsvcError {
  const message = `this part has ${length} bytes, and the body had ${received}`;
  return new DocsvcError('invalid_request', message, { details: [{ path: 'body', code: 'wrong_length', message }] });
}
