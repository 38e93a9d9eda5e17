import { Injectable } from '@nestjs/common';
import { IdpConfigEntity } from '../../core/identity/idp-config.entity.js';
import { OrganizationEntity } from '../../core/organizations/organization.entity.js';
import { Database } from '../../core/record/database.js';
import { toIdp, type IdpList } from './idp.dto.js';
import { toOrg, type OrgEnvelope } from './org.dto.js';

/** The record of an organization and its identity providers, to be read. */
@Injectable()
export class OrgService {
  constructor(private readonly database: Database) {}

  async read(organizationId: string): Promise<OrgEnvelope> {
    const row = await this.database.withTenant(organizationId, (tx) =>
      tx.manager.findOneByOrFail(OrganizationEntity, { id: organizationId }),
    );
    return { org: toOrg(row) };
  }

  async listProviders(organizationId: string): Promise<IdpList> {
    const rows = await this.database.withTenant(organizationId, (tx) =>
      tx.manager.find(IdpConfigEntity, { order: { generation: 'ASC' } }),
    );
    return { idp_configs: rows.map(toIdp) };
  }
}
