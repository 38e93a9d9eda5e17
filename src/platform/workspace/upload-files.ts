import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { SandgateError } from '../../domain/errors.js';
import { isSystemError } from '../../domain/system-error.js';
import { checkArchive, type ArchiveReport } from '../archive/extract.js';
import { ArchiveFolder } from './archive-folder.js';
import { uploadRules } from './unpacker/upload-rules.js';

/** The archive of an upload that was received whole. */
export function uploadFile(dataDir: string, id: string): string {
  return uploadsOf(dataDir).file(id);
}

function uploadsOf(dataDir: string): ArchiveFolder {
  return new ArchiveFolder(join(dataDir, 'uploads'));
}

export interface ReceiveLimits {
  maxBytes: number;
  stallMs: number;
}

/** Archives that clients sent to this host, in `<data>/uploads`. */
export class UploadFiles {
  private readonly archives: ArchiveFolder;

  constructor(dataDir: string) {
    this.archives = uploadsOf(dataDir);
  }

  /**
   * Receives an archive and tries to unpack it, without writing anything. It has its name afterwards; whatever fails leaves nothing.
   *
   * @param limits bytes of the archive, and the longest time without one
   * @throws SandgateError `invalid_request` that names the entry, `payload_too_large` past a limit, `out_of_capacity` when the disk is full
   */
  async receive(id: string, body: Readable, limits: ReceiveLimits): Promise<ArchiveReport> {
    try {
      return await this.archives.publish(id, async (partial) => {
        await this.write(partial, body, limits);
        return checkArchive(createReadStream(partial) as AsyncIterable<Buffer>, uploadRules(limits.maxBytes));
      });
    } catch (error) {
      throw describe(error);
    }
  }

  /** Gone already is success. */
  remove(id: string): Promise<void> {
    return this.archives.remove(id);
  }

  /** Ids of all that is kept, or was being received. */
  async list(): Promise<string[]> {
    const found = await this.archives.list();
    return [...new Set(found.map(({ id }) => id))];
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
  // The second one where the sender was gone before anything was read.
  if (isSystemError(error, 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'))
    return new SandgateError('invalid_request', 'the upload broke off: its sender hung up', { cause: error });
  return error;
}
