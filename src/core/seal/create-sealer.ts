import { DataKeys } from '../../platform/seal/data-keys.js';
import { keyManagementOf, Sealer, type SealKeys } from '../../platform/seal/sealer.js';
import type { Database } from '../record/database.js';
import { DataKeyRows } from './data-key-rows.js';

/** The sealer of a configuration, with its data keys on the record. */
export function createSealer(db: Database, keys: SealKeys): Sealer {
  const kms = keyManagementOf(keys);
  return new Sealer(kms === null ? null : new DataKeys(new DataKeyRows(db), kms), keys.credentialKey);
}
