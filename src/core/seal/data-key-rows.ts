import type { DataKeyStore, WrappedDataKey } from '../../platform/seal/data-keys.js';
import type { Database } from '../record/database.js';
import { insertUnlessThere } from '../../platform/postgres/write-rows.js';
import { DataKeyEntity } from './data-key.entity.js';

/** The wrapped data keys on the record. */
export class DataKeyRows implements DataKeyStore {
  constructor(private readonly db: Database) {}

  async find(organizationId: string, version: number): Promise<WrappedDataKey | null> {
    const row = await this.db.withTenant(organizationId, (tx) => tx.manager.findOneBy(DataKeyEntity, { version }));
    return row && { kekId: row.kek_id, wrapped: row.wrapped_dek };
  }

  async add(organizationId: string, version: number, { kekId, wrapped }: WrappedDataKey): Promise<void> {
    const row = { tenant_id: organizationId, version, kek_id: kekId, wrapped_dek: wrapped };
    await this.db.withTenant(organizationId, (tx) => insertUnlessThere(tx, DataKeyEntity, row));
  }
}
