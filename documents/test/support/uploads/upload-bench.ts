import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { completeUpload, type Completion } from '../../../src/core/uploads/complete-upload.js';
import { openUpload, type NewUpload } from '../../../src/core/uploads/open-upload.js';
import { PartSlots } from '../../../src/core/uploads/part-slots.js';
import { receivePart } from '../../../src/core/uploads/receive-part.js';
import type { DocumentPlace } from '../../../src/core/documents/document-place.js';
import type { VersionPlace } from '../../../src/core/documents/version-place.js';
import type { Record } from '../../../src/core/record/record.js';
import { FsBlobStore } from '../../../src/platform/blobs/fs-blob-store.js';
import type { PlantedOrganization } from '../database/plant-organization.js';

/** Uploads of one organization without the routes: the record and a store in a folder of its own. */
export class UploadBench {
  private readonly slots = new PartSlots();

  private constructor(
    readonly place: DocumentPlace,
    readonly root: string,
    readonly organization: PlantedOrganization,
  ) {}

  static async open(
    record: Record,
    organization: PlantedOrganization,
    quotas: Partial<DocumentPlace['quotas']> = {},
  ): Promise<UploadBench> {
    const root = await mkdtemp(join(tmpdir(), 'docsvc-uploads-'));
    const store = await FsBlobStore.open(root, { stallMs: 2_000 });
    const most = { openUploads: 200, storageBytes: 10_000_000_000_000, documents: 1_000_000, ...quotas };
    return new UploadBench({ record, store, quotas: most }, root, organization);
  }

  /** @returns the id of the upload */
  begin(asked: Partial<NewUpload> & { sizeBytes: number }): Promise<string> {
    const { orgId, projectId, caller } = this.organization;
    return openUpload(
      this.place,
      {
        orgId,
        projectId,
        clientId: caller.clientId,
        name: `file ${randomBytes(4).toString('hex')}.txt`,
        contentType: null,
        sha256: null,
        metadata: {},
        labels: [],
        ...asked,
      },
      (_tx, id) => Promise.resolve(id),
    );
  }

  /** @returns the ETag */
  send(uploadId: string, partNumber: number, bytes: Buffer | Readable, sha256: Buffer | null = null): Promise<string> {
    const { record, store } = this.place;
    return receivePart(
      { record, store, slots: this.slots },
      {
        orgId: this.organization.orgId,
        uploadId,
        partNumber,
        body: Buffer.isBuffer(bytes) ? Readable.from([bytes], { objectMode: false }) : bytes,
        contentLength: Buffer.isBuffer(bytes) ? bytes.length : null,
        sha256,
      },
    );
  }

  complete(uploadId: string, stated: Partial<Completion> = {}): Promise<VersionPlace> {
    const { orgId } = this.organization;
    return completeUpload(this.place, { orgId, uploadId, parts: null, sha256: null, ...stated }, () =>
      Promise.resolve(),
    );
  }

  async close(): Promise<void> {
    await rm(this.root, { recursive: true });
  }
}
