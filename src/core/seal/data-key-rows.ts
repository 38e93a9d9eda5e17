import type { DataKeyStore, WrappedDataKey } from '../../platform/seal/data-keys.js';
import type { Database } from '../record/database.js';

/** The wrapped data keys on the record. */
export class DataKeyRows implements DataKeyStore {
  constructor(private readonly db: Database) {}

  async find(organizationId: string, version: number): Promise<WrappedDataKey | null> {
    const [row] = await this.db.withTenant(organizationId, (tx) =>
      tx.query<{ kek_id: string; wrapped_dek: Buffer }>(
        'select kek_id, wrapped_dek from tenant_deks where version = $1',
        [version],
      ),
    );
    return row === undefined ? null : { kekId: row.kek_id, wrapped: row.wrapped_dek };
  }

  async add(organizationId: string, version: number, { kekId, wrapped }: WrappedDataKey): Promise<void> {
    await this.db.withTenant(organizationId, (tx) =>
      tx.query(
        `insert into tenant_deks (tenant_id, version, kek_id, wrapped_dek) values ($1, $2, $3, $4)
         on conflict (tenant_id, version) do nothing`,
        [organizationId, version, kekId, wrapped],
      ),
    );
  }
}
