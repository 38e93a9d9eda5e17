import { Global, Module } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import { SigningSalts } from '../../core/access/signing-salts.js';
import type { DocumentPlace } from '../../core/documents/document-place.js';
import { Record, type RecordTransaction } from '../../core/record/record.js';
import type { BlobStore } from '../../platform/blobs/blob-store.js';
import { openBlobStore } from '../../platform/blobs/open-blob-store.js';
import { ApiConfig } from './foundation.module.js';

/** The bytes of documents beside their rows. */
export class DocumentStore implements DocumentPlace {
  constructor(
    readonly record: Record,
    readonly store: BlobStore,
    readonly quotas: ApiConfig['quotas'],
  ) {}

  /** A transaction of the caller's organization, as {@link Record.inOrganization} has it. */
  inOrganization<T>({ orgId }: Pick<Caller, 'orgId'>, work: (tx: RecordTransaction) => Promise<T>): Promise<T> {
    return this.record.inOrganization(orgId, work);
  }
}

@Global()
@Module({
  providers: [
    {
      provide: DocumentStore,
      inject: [Record, ApiConfig],
      useFactory: async (record: Record, { store, quotas }: ApiConfig) =>
        new DocumentStore(record, await openBlobStore(store), quotas),
    },
    { provide: SigningSalts, inject: [Record], useFactory: (record: Record) => new SigningSalts(record) },
  ],
  exports: [DocumentStore, SigningSalts],
})
export class StoreModule {}
