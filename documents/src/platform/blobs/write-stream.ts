import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isSystemError } from '../../../../src/domain/system-error.js';
import { DocsvcError } from '../../domain/errors.js';
import type { WrittenBlob } from './blob-store.js';

/** Chunks are written together once they come to this; at most twice of it waits in memory for each body. */
const WRITE_BYTES = 1024 * 1024;

export interface WritePlan {
  offset: number;
  maxBytes: number;
  /** Longest time without a byte. */
  stallMs: number;
  tooLong: () => DocsvcError;
}

/**
 * Writes a body into a file while it arrives, and hashes it on the way. The sender waits while the disk is slower. What is refused is
 * left open, so that its sender is answered.
 *
 * @throws DocsvcError as the plan says for too many bytes, `request_timeout`, `invalid_request` for a body that breaks off,
 * `unavailable` when the disk is full
 */
export async function writeStream(file: FileHandle, body: Readable, plan: WritePlan): Promise<WrittenBlob> {
  const sha256 = createHash('sha256');
  const writer = new BatchWriter(file, plan.offset);
  const stall = setTimeout(() => body.destroy(stalled(plan.stallMs)), plan.stallMs);
  let sizeBytes = 0;
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      stall.refresh();
      sizeBytes += chunk.length;
      if (sizeBytes > plan.maxBytes) throw plan.tooLong();
      sha256.update(chunk);
      await writer.add(chunk);
    }
    await writer.end();
  } catch (error) {
    await writer.settle();
    throw describe(error);
  } finally {
    clearTimeout(stall);
  }
  return { sizeBytes, sha256: sha256.digest() };
}

/** Writes in batches, one of them while the next one is filled. */
class BatchWriter {
  private batch: Buffer[] = [];
  private batchBytes = 0;
  /** Resolves to what went wrong, because nobody may be waiting when it does. */
  private writing: Promise<{ failure: unknown } | null> = Promise.resolve(null);

  constructor(
    private readonly file: FileHandle,
    private position: number,
  ) {}

  async add(chunk: Buffer): Promise<void> {
    this.batch.push(chunk);
    this.batchBytes += chunk.length;
    if (this.batchBytes >= WRITE_BYTES) await this.flush();
  }

  async end(): Promise<void> {
    await this.flush();
    await this.flush();
  }

  /** Nothing is written any more when this resolves. */
  async settle(): Promise<void> {
    await this.writing;
  }

  /** Begins to write what was collected, once the batch before it is written. */
  private async flush(): Promise<void> {
    const failed = await this.writing;
    if (failed !== null) throw failed.failure;
    const { batch, position } = this;
    this.position += this.batchBytes;
    this.batch = [];
    this.batchBytes = 0;
    this.writing = writeAll(this.file, batch, position).then(
      () => null,
      (failure: unknown) => ({ failure }),
    );
  }
}

async function writeAll(file: FileHandle, batch: Buffer[], position: number): Promise<void> {
  let rest = batch;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
}

/** What of these buffers comes after so many bytes. */
function after(buffers: Buffer[], bytes: number): Buffer[] {
  let skip = bytes;
  return buffers.flatMap((buffer) => {
    const skipped = Math.min(skip, buffer.length);
    skip -= skipped;
    return skipped === buffer.length ? [] : [buffer.subarray(skipped)];
  });
}

function stalled(stallMs: number): DocsvcError {
  return new DocsvcError('request_timeout', `the body broke off: nothing came for ${stallMs / 1000} s; send it again`);
}

function describe(error: unknown): unknown {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT'))
    return new DocsvcError('unavailable', 'the disk of the server has no room for this', { cause: error });
  if (isSystemError(error, 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'))
    return new DocsvcError('invalid_request', 'the body broke off: its sender hung up', { cause: error });
  return error;
}
