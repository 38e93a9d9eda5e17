import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../core/identity/audit-log.js';
import { OrgChanges } from '../../core/identity/management/org-changes.js';
import { Organizations, type Organization } from '../../core/organizations/organizations.js';
import { MAX_LIMIT, rowsAsked } from '../http/limit.js';
import { AuthAuditService } from '../org/auth-audit.service.js';
import type { AuthAuditList } from '../org/auth-audit.dto.js';
import { toOrg, type OrgEnvelope } from '../org/org.dto.js';
import type { ChangeOrg, CreateOrg, ListDeploymentAudit, ListOrgs, OrgList } from './admin-orgs.dto.js';

/** Organizations of the deployment, for its operator. */
@Injectable()
export class AdminOrgsService {
  constructor(
    private readonly organizations: Organizations,
    private readonly changes: OrgChanges,
    private readonly log: AuthAuditService,
  ) {}

  async list({ after, limit }: ListOrgs): Promise<OrgList> {
    const found = await this.organizations.list({ after: after ?? null, limit: rowsAsked(limit, MAX_LIMIT) });
    return { orgs: found.map(toOrg) };
  }

  /** @throws SandgateError as `Organizations.create` */
  async create({ slug, display_name }: CreateOrg, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.changes.create(slug.trim(), display_name ?? null, actor)) };
  }

  /** @throws SandgateError as `OrgChanges.rename` */
  async change(organization: Organization, { display_name }: ChangeOrg, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.changes.rename(organization, display_name, actor)) };
  }

  async suspend(organization: Organization, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.changes.suspend(organization, actor)) };
  }

  async resume(organization: Organization, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.changes.resume(organization, actor)) };
  }

  /** @throws SandgateError `not_found` for an organization that is named and does not exist */
  async audit({ org, ...query }: ListDeploymentAudit): Promise<AuthAuditList> {
    const organization = org === undefined ? null : await this.organizations.get(org);
    return this.log.list(organization?.id ?? null, query);
  }
}
