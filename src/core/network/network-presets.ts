import { presetsOf, type Presets, type PresetTable } from '../../domain/network/presets.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import type { TenantTransaction } from '../record/database.js';

/** What the presets mean in this deployment (docs/design/network.md). */
export class NetworkPresets {
  constructor(private readonly table: PresetTable) {}

  /** For the organization of the transaction. */
  async of(tx: TenantTransaction): Promise<Presets> {
    if (this.table.organizations.size === 0) return this.table.presets;
    const { slug } = await tx.manager.findOneByOrFail(OrganizationEntity, { id: tx.organizationId });
    return presetsOf(this.table, slug);
  }
}
