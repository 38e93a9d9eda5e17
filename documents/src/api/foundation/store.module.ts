import { Global, Module } from '@nestjs/common';
import { SigningSalts } from '../../core/access/signing-salts.js';
import type { DocumentPlace } from '../../core/documents/document-place.js';
import { Record } from '../../core/record/record.js';
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
