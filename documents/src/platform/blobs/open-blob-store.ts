import { DocsvcError } from '../../domain/errors.js';
import type { StoreConfig } from '../config/store.config.js';
import type { BlobStore } from './blob-store.js';
import { FsBlobStore } from './fs-blob-store.js';

/**
 * The store that the configuration names.
 *
 * @throws DocsvcError `not_implemented` for one that this version does not have
 */
export async function openBlobStore({ kind, root }: Pick<StoreConfig, 'kind' | 'root'>): Promise<BlobStore> {
  switch (kind) {
    case 'fs':
      return FsBlobStore.open(root);
    case 's3':
      throw new DocsvcError('not_implemented', 'DOCSVC_STORE: the store s3 comes with a later release; use fs');
  }
}
