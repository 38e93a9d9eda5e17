import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { digestOf } from '../../domain/digest/digest.js';
import { SandgateError } from '../../domain/errors.js';
import {
  beginUpload,
  dropUpload,
  finishUpload,
  readUpload,
  type ReceivedUpload,
  type UploadOwner,
  type UploadRow,
} from '../../core/uploads/uploads.js';
import { Database } from '../../core/record/database.js';
import { claimKey } from '../../core/runs/idempotency-keys.js';
import { ensureHostId } from '../../platform/config/host-id.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { UploadFiles } from '../../platform/workspace/upload-files.js';
import { userIdOf, type Principal } from '../auth/principal.js';
import { ApiConfig } from '../foundation/foundation.module.js';
import type { UploadHeaders } from './upload-headers.js';

/** Longest time without a byte. */
const STALL_MS = 60_000;

export interface UploadCommand {
  principal: Principal;
  headers: UploadHeaders;
  body: Readable;
  idempotencyKey: string | undefined;
}

/** Receives workspaces from other machines (docs/design/workspaces.md). No transaction is open while bytes come. */
@Injectable()
export class UploadsService {
  private readonly files: UploadFiles;

  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
  ) {
    this.files = new UploadFiles(config.data.dir);
  }

  async receive(command: UploadCommand): Promise<UploadRow> {
    const { headers, principal, body } = command;
    const maxBytes = this.config.workspace.maxArchiveBytes;
    if (headers.length !== null && headers.length > maxBytes)
      throw new SandgateError('payload_too_large', `the archive has more than ${maxBytes} bytes`);
    const id = newRowId();
    const upload = {
      id,
      owner: ownerOf(principal),
      hostId: ensureHostId(this.config),
      bytes: headers.length ?? maxBytes,
    };
    await this.database.withTenant(principal.organizationId, (tx) => beginUpload(tx, upload));
    try {
      const { digest, packed, files, leftOut } = await this.files.receive(id, body, { maxBytes, stallMs: STALL_MS });
      const { baseCommit } = headers;
      const received = { digest, bytes: packed, files, leftOut: leftOut + headers.leftOut, baseCommit };
      const row = await this.finish(command, id, received);
      if (row.id !== id) await this.discard(principal, id);
      return row;
    } catch (error) {
      await this.discard(principal, id);
      throw error;
    }
  }

  /** The row of this upload, or that of an earlier one of the same key and content. */
  private finish({ principal, idempotencyKey: key }: UploadCommand, id: string, received: ReceivedUpload) {
    return this.database.withTenant(principal.organizationId, async (tx) => {
      if (key === undefined) return finishUpload(tx, id, received);
      const owner = ownerOf(principal);
      const { digest, leftOut, baseCommit } = received;
      const earlier = await claimKey(tx, {
        // The uploads of others stay unknown, whatever keys they use.
        scope: `workspaces:${owner.kind}:${owner.userId ?? ''}`,
        key,
        of: 'body',
        digest: digestOf({ digest, left_out: leftOut, base_commit: baseCommit }),
        runId: id,
      });
      return earlier === null ? finishUpload(tx, id, received) : readUpload(tx, earlier.runId);
    });
  }

  private async discard(principal: Principal, id: string): Promise<void> {
    await this.files.remove(id);
    await this.database.withTenant(principal.organizationId, (tx) => dropUpload(tx, id));
  }
}

function ownerOf(principal: Principal): UploadOwner {
  return { kind: principal.kind, userId: userIdOf(principal) };
}
