import { createReadStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { isRowId } from '../../domain/uuid.js';
import { checkArchive, type ArchiveReport } from '../archive/extract.js';
import { namesIn } from '../host/folders.js';
import { uploadRules } from './unpacker/upload-rules.js';

const PACKED = '.tar.gz';
const PARTIAL = `${PACKED}.partial`;
const ID_LENGTH = 36;

/** The archive of an upload that was received whole. */
export function uploadFile(dataDir: string, id: string): string {
  return join(dataDir, 'uploads', `${id}${PACKED}`);
}

export interface ReceiveLimits {
  maxBytes: number;
  stallMs: number;
}

/** Archives that clients sent to this host, in `<data>/uploads`. */
export class UploadFiles {
  constructor(private readonly dataDir: string) {}

  /**
   * Receives an archive and tries to unpack it, without writing anything. It has its name afterwards; whatever fails leaves nothing.
   *
   * @param limits bytes of the archive, and the longest time without one
   * @throws SandgateError `invalid_request` that names the entry, `payload_too_large` past a limit, `out_of_capacity` when the disk is full
   */
  async receive(id: string, body: Readable, limits: ReceiveLimits): Promise<ArchiveReport> {
    const partial = join(this.folder, `${id}${PARTIAL}`);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    try {
      await this.write(partial, body, limits);
      const report = await checkArchive(
        createReadStream(partial) as AsyncIterable<Buffer>,
        uploadRules(limits.maxBytes),
      );
      await rename(partial, uploadFile(this.dataDir, id));
      return report;
    } catch (error) {
      await rm(partial, { force: true });
      throw describe(error);
    }
  }

  /** Gone already is success. */
  async remove(id: string): Promise<void> {
    await rm(uploadFile(this.dataDir, id), { force: true });
    await rm(join(this.folder, `${id}${PARTIAL}`), { force: true });
  }

  /** Ids of all that is kept, or was being received. */
  async list(): Promise<string[]> {
    const names = await namesIn(this.folder);
    return [...new Set(names.map((name) => name.slice(0, ID_LENGTH)).filter(isRowId))];
  }

  private get folder(): string {
    return join(this.dataDir, 'uploads');
  }

  /** The folder is closed; the file is not, so that the user of a run may read it where it is shown to one. */
  private async write(path: string, body: Readable, { maxBytes, stallMs }: ReceiveLimits): Promise<void> {
    await using file = await open(path, 'w');
    await file.chmod(0o644);
    const stall = setTimeout(() => body.destroy(stalled(stallMs)), stallMs);
    let bytes = 0;
    try {
      // Left open when it is refused, so that its sender is answered.
      for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        stall.refresh();
        bytes += chunk.length;
        if (bytes > maxBytes)
          throw new SandgateError('payload_too_large', `the archive has more than ${maxBytes} bytes`);
        await file.writeFile(chunk);
      }
      await file.sync();
    } finally {
      clearTimeout(stall);
    }
  }
}

function stalled(stallMs: number): SandgateError {
  return new SandgateError('invalid_request', `the upload broke off: nothing came for ${stallMs} ms`);
}

function describe(error: unknown): unknown {
  if (isSystemError(error, 'ENOSPC', 'EDQUOT'))
    return new SandgateError('out_of_capacity', 'the disk of the server has no room for this upload', { cause: error });
  if (isSystemError(error, 'ECONNRESET'))
    return new SandgateError('invalid_request', 'the upload broke off: its sender hung up', { cause: error });
  return error;
}
