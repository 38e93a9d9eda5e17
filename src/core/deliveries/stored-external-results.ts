import type { HostedResult } from '../../platform/codehost/result-host.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { CLOCK, insertUnlessThere, updateRow } from '../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { ExternalResultEntity } from './external-result.entity.js';
import type { ExternalResultKind, ExternalResults } from './publishing.js';

/** What one subscription has published, as its rows say. */
export class StoredExternalResults implements ExternalResults {
  constructor(
    private readonly database: Database,
    private readonly of: { organizationId: string; subscriptionId: string },
  ) {}

  async get(kind: ExternalResultKind, key: string): Promise<HostedResult | null> {
    const row = await this.inTransaction((tx) => tx.manager.findOneBy(ExternalResultEntity, this.place(kind, key)));
    return row && resultOf(row);
  }

  put(
    kind: ExternalResultKind,
    key: string,
    { result, replacing }: { result: HostedResult; replacing: string | null },
  ): Promise<HostedResult> {
    return this.inTransaction(async (tx) => {
      const place = this.place(kind, key);
      const now = { external_id: result.id, external_url: result.url };
      const written =
        replacing === null
          ? await insertUnlessThere(tx, ExternalResultEntity, {
              ...{ id: newRowId(), tenant_id: tx.organizationId },
              ...place,
              ...now,
            })
          : await updateRow(
              tx,
              ExternalResultEntity,
              { ...place, external_id: replacing },
              { ...now, updated_at: CLOCK },
            );
      return resultOf(written ?? (await tx.manager.findOneByOrFail(ExternalResultEntity, place)));
    });
  }

  private place(kind: ExternalResultKind, key: string) {
    return { subscription_id: this.of.subscriptionId, kind, resource_key: key };
  }

  private inTransaction<T>(work: (tx: TenantTransaction) => Promise<T>): Promise<T> {
    return this.database.withTenant(this.of.organizationId, work);
  }
}

function resultOf({ external_id: id, external_url: url }: ExternalResultEntity): HostedResult {
  return { id, url };
}
