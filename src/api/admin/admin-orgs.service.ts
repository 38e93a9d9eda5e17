import { Injectable } from '@nestjs/common';
import type { AuditActor } from '../../core/identity/audit-log.js';
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
    private readonly log: AuthAuditService,
  ) {}

  async list({ after, limit }: ListOrgs): Promise<OrgList> {
    const found = await this.organizations.list({ after: after ?? null, limit: rowsAsked(limit, MAX_LIMIT) });
    return { orgs: found.map(toOrg) };
  }

  /** @throws SandgateError as `Organizations.create` */
  async create({ slug, display_name }: CreateOrg, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.organizations.create(slug.trim(), display_name ?? null, actor)) };
  }

  /** @throws SandgateError as `Organizations.rename` */
  async change({ slug }: Organization, { display_name }: ChangeOrg, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.organizations.rename(slug, display_name, actor)) };
  }

  async suspend({ slug }: Organization, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.organizations.suspend(slug, actor)) };
  }

  async resume({ slug }: Organization, actor: AuditActor): Promise<OrgEnvelope> {
    return { org: toOrg(await this.organizations.resume(slug, actor)) };
  }

  /** @throws SandgateError `not_found` for an organization that is named and does not exist */
  async audit({ org, ...query }: ListDeploymentAudit): Promise<AuthAuditList> {
    const organization = org === undefined ? null : await this.organizations.get(org);
    return this.log.list(organization?.id ?? null, query);
  }
}
