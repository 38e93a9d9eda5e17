import { updateRow } from '../../../platform/postgres/write-rows.js';
import { OrganizationEntity } from '../../organizations/organization.entity.js';
import { checkDisplayName, type Organization, type Organizations } from '../../organizations/organizations.js';
import type { Database } from '../../record/database.js';
import { auditStep, type AuditAction, type AuditActor } from '../audit-log.js';

/** What the operator does with organizations, each with its entry in the audit log. */
export class OrgChanges {
  constructor(
    private readonly database: Database,
    private readonly organizations: Organizations,
  ) {}

  /** @throws SandgateError as `Organizations.create` */
  create(slug: string, displayName: string | null, actor: AuditActor): Promise<Organization> {
    return this.organizations.create(slug, displayName, (tx) =>
      auditStep(tx, { actor, action: 'org.create', target: slug }),
    );
  }

  /** @throws SandgateError `invalid_request` */
  rename(organization: Organization, displayName: string | null, actor: AuditActor): Promise<Organization> {
    checkDisplayName(displayName);
    return this.change(organization, { display_name: displayName }, { actor, action: 'org.update' });
  }

  /** It admits none of its people and starts no runs; those under way go on. The same when it was suspended before. */
  suspend(organization: Organization, actor: AuditActor): Promise<Organization> {
    return this.change(organization, { status: 'suspended' }, { actor, action: 'org.suspend' });
  }

  resume(organization: Organization, actor: AuditActor): Promise<Organization> {
    return this.change(organization, { status: 'active' }, { actor, action: 'org.resume' });
  }

  private change(
    { id, slug }: Organization,
    columns: Partial<Pick<OrganizationEntity, 'display_name' | 'status'>>,
    step: { actor: AuditActor; action: AuditAction },
  ): Promise<Organization> {
    return this.database.withTenant(id, async (tx) => {
      const changed = await updateRow(tx, OrganizationEntity, { id }, columns);
      if (changed === null) throw new Error(`the organization ${slug} is gone`);
      await auditStep(tx, { ...step, target: slug });
      return changed;
    });
  }
}
