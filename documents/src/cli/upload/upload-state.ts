import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJsonObject } from '../../../../src/domain/json.js';
import { isMissing } from '../../../../src/domain/system-error.js';

/** What makes an upload the same one after a kill: another size or time of change is another file. */
export interface UploadIdentity {
  origin: string;
  project: string;
  name: string;
  /** Absolute. */
  file: string;
  sizeBytes: number;
  modifiedMs: number;
}

/** Remembers which upload a file is being sent to, until it is complete (DI-007). */
export class UploadState {
  private readonly path: string;

  constructor(
    private readonly folder: string,
    identity: UploadIdentity,
  ) {
    const { origin, project, name, file, sizeBytes, modifiedMs } = identity;
    const key = JSON.stringify([origin, project, name, file, sizeBytes, modifiedMs]);
    this.path = join(folder, `${createHash('sha256').update(key).digest('hex')}.json`);
  }

  /** Null where the file was not being sent. */
  get uploadId(): string | null {
    try {
      const id = parseJsonObject(readFileSync(this.path, 'utf8'))?.['uploadId'];
      return typeof id === 'string' ? id : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  /** Durable before the first part is sent. */
  remember(uploadId: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}`;
    writeFileSync(draft, JSON.stringify({ uploadId }), { mode: 0o600, flush: true });
    renameSync(draft, this.path);
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }
}
