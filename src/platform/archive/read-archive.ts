import { createHash, type Hash } from 'node:crypto';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { extract, type Extract } from 'tar-stream';
import { SandgateError } from '../../domain/errors.js';
import { codeOf } from '../../domain/system-error.js';
import { drained } from './drained.js';

/** An archive may not grow by more than this when it is unpacked, counted from {@link RATIO_FREE_BYTES} on. */
const MAX_RATIO = 400;
const RATIO_FREE_BYTES = 64 * 1024 * 1024;

/** How large an archive may be, in bytes. */
export interface ArchiveSizes {
  /** As it is sent and kept. */
  packed: number;
  /** As a whole when it is unpacked, names and padding included. */
  unpacked: number;
}

/** One entry as the archive states it: nothing of it has been judged. */
export interface RawEntry {
  name: string;
  type: string | null;
  size: number;
  mode: number;
  linkTarget: string | null;
  /** To be read once, or not at all, before the next entry is asked for. */
  content: AsyncIterable<Buffer>;
}

/** What an archive was as a stream of bytes. */
export interface ArchiveBytes {
  /** `sha256:<hex>` over exactly the bytes that were read. */
  digest: string;
  packed: number;
}

/** Reads a tar.gz as it comes, in bounded memory, and judges nothing but its sizes. */
export class ArchiveReader {
  private readonly hash: Hash = createHash('sha256');
  private packed = 0;
  private unpacked = 0;

  constructor(
    private readonly source: AsyncIterable<Buffer>,
    private readonly sizes: ArchiveSizes,
  ) {}

  /** Once all entries were read. */
  get bytes(): ArchiveBytes {
    return { digest: `sha256:${this.hash.copy().digest('hex')}`, packed: this.packed };
  }

  /** @throws SandgateError `invalid_request` for what is no whole tar.gz, `payload_too_large` past a size */
  async *entries(): AsyncGenerator<RawEntry> {
    const reader = extract();
    const feeding = this.feed(reader).catch((error: unknown) => {
      reader.destroy(asError(error));
    });
    try {
      for await (const entry of reader) {
        const { name, type, size, mode, linkname } = entry.header;
        const content = translated(entry as unknown as AsyncIterable<Buffer>);
        yield { name, type, size, mode, linkTarget: linkname ?? null, content };
      }
    } catch (error) {
      throw unreadable(error);
    } finally {
      reader.destroy();
      await feeding;
    }
  }

  private async feed(reader: Extract): Promise<void> {
    const gunzip = createGunzip();
    // Where it breaks, reading its output says so.
    pipeline(this.measured(), gunzip, () => undefined);
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      this.unpacked += chunk.length;
      this.checkUnpacked();
      if (reader.destroyed) return;
      if (!reader.write(chunk)) await drained(reader);
    }
    reader.end(undefined);
  }

  private async *measured(): AsyncGenerator<Buffer> {
    for await (const chunk of this.source) {
      this.packed += chunk.length;
      if (this.packed > this.sizes.packed) throw tooLarge(`has more than ${this.sizes.packed} bytes`);
      this.hash.update(chunk);
      yield chunk;
    }
  }

  private checkUnpacked(): void {
    if (this.unpacked > this.sizes.unpacked) throw tooLarge(`unpacks to more than ${this.sizes.unpacked} bytes`);
    if (this.unpacked > RATIO_FREE_BYTES && this.unpacked > this.packed * MAX_RATIO)
      throw tooLarge(`grows to more than ${MAX_RATIO} times its size`);
  }
}

async function* translated(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    throw unreadable(error);
  }
}

/** Faults of the archive are its sender's; a refusal of ours, and a system call that failed, stay what they are. */
function unreadable(error: unknown): unknown {
  if (error instanceof SandgateError) return error;
  const code = codeOf(error);
  if (typeof code === 'string' && !code.startsWith('Z_') && !code.startsWith('ERR_')) return error;
  const words = asError(error).message.replace(/[.?].*$/s, '');
  return new SandgateError('invalid_request', `the archive is no whole tar.gz: ${words}`, { cause: error });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

export function tooLarge(what: string): SandgateError {
  return new SandgateError('payload_too_large', `the archive ${what}`);
}
