import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { SandgateError } from '../../domain/errors.js';
import { drained } from './drained.js';

/** Of every entry, so that the same files make the same bytes. */
const MTIME = new Date(0);
const READ_BYTES = 256 * 1024;

type Entry = ReturnType<Pack['entry']>;

/** Takes the entries of an archive, one after the other. */
export interface ArchivePacker {
  folder(path: string): Promise<void>;
  link(path: string, target: string): Promise<void>;
  /**
   * @param size that the archive states; what the file has grown by since is not packed
   * @throws SandgateError `conflict` when the file has become shorter
   */
  file(path: string, file: FileHandle, of: { size: number; executable: boolean }): Promise<void>;
}

/**
 * The one packer of archives: writes a tar.gz while `fill` adds its entries. Owners and times are not recorded, and of modes the execute
 * bit of files alone.
 *
 * @throws SandgateError `payload_too_large` when it becomes larger than `maxBytes`; else what `fill` or `target` broke with
 */
export async function packArchive(
  target: NodeJS.WritableStream,
  maxBytes: number,
  fill: (packer: ArchivePacker) => Promise<void>,
): Promise<void> {
  const tar = pack();
  const first: { error?: Error } = {};
  // Whichever of the two breaks first takes the other along.
  const broken = (error: unknown): void => {
    first.error ??= error instanceof Error ? error : new Error(String(error));
    tar.destroy(first.error);
  };
  const writing = pipeline(tar as unknown as AsyncIterable<Buffer>, createGzip(), atMost(maxBytes), target).catch(
    broken,
  );
  await fill(new TarPacker(tar)).then(() => tar.finalize(), broken);
  await writing;
  if (first.error !== undefined) throw first.error;
}

function atMost(maxBytes: number): (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (chunks) {
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new SandgateError('payload_too_large', `the archive has more than ${maxBytes} bytes`);
      yield chunk;
    }
  };
}

class TarPacker implements ArchivePacker {
  constructor(private readonly tar: Pack) {}

  async folder(path: string): Promise<void> {
    await this.add({ name: `${path}/`, type: 'directory', mode: 0o755 }).ended;
  }

  async link(path: string, target: string): Promise<void> {
    await this.add({ name: path, type: 'symlink', linkname: target, mode: 0o777 }).ended;
  }

  async file(
    path: string,
    file: FileHandle,
    { size, executable }: { size: number; executable: boolean },
  ): Promise<void> {
    const { entry, ended } = this.add({ name: path, type: 'file', size, mode: executable ? 0o755 : 0o644 });
    const steps = await Promise.allSettled([copyInto(entry, path, file, size), ended]);
    const failed = steps.find((step) => step.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private add(header: Parameters<Pack['entry']>[0]): { entry: Entry; ended: Promise<void> } {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    const entry = this.tar.entry({ ...header, mtime: MTIME }, (error) => (error == null ? resolve() : reject(error)));
    // The call above hears of it, too.
    entry.on('error', reject);
    return { entry, ended };
  }
}

async function copyInto(entry: Entry, path: string, file: FileHandle, size: number): Promise<void> {
  for (let at = 0; at < size;) {
    const buffer = Buffer.allocUnsafe(Math.min(size - at, READ_BYTES));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (entry.destroyed) return;
    if (bytesRead === 0) {
      const shorter = new SandgateError('conflict', `${JSON.stringify(path)} became shorter while it was packed`);
      entry.destroy(shorter);
      throw shorter;
    }
    at += bytesRead;
    if (!entry.write(buffer.subarray(0, bytesRead))) await drained(entry);
  }
  entry.end(undefined);
}
