import { SandgateError } from '../../../domain/errors.js';
import { ROLES, type Role } from '../../../domain/identity/role.js';
import { notFound } from '../../../domain/resource-id.js';
import { CLOCK, updateRow } from '../../../platform/postgres/write-rows.js';
import type { Database, TenantTransaction } from '../../record/database.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { hasOwner, lockIdentity } from './lock-identity.js';
import { readActiveMember } from '../members.js';
import { MembershipEntity } from '../membership.entity.js';

/**
 * Under whose rules a member is changed. `deployment`: the operator plane, which may leave an organization without an owner.
 * `organization`: its own people, of whom owners alone decide about owners, and the last one stays; a null user is the admin token.
 */
export type Authority = { of: 'deployment' } | { of: 'organization'; userId: string | null };

export interface MemberChange {
  membershipId: string;
  authority: Authority;
  actor: AuditActor;
}

/** Changes what members may do. All of it is behind the locks of `lockIdentity`, so two owners cannot remove each other. */
export class MemberChanges {
  constructor(private readonly database: Database) {}

  /** @throws SandgateError `not_found`; what {@link authorize} throws */
  setRoles(organizationId: string, change: MemberChange & { roles: readonly Role[] }): Promise<MembershipEntity> {
    const roles = ROLES.filter((role) => change.roles.includes(role));
    return this.change(organizationId, change, async (tx, found) => {
      const isAboutOwner = found.roles.includes('owner') !== roles.includes('owner');
      await authorize(tx, change, { found, isAboutOwner, losesOwner: isAboutOwner && !roles.includes('owner') });
      const detail = { from: found.roles, to: roles };
      await auditStep(tx, { actor: change.actor, action: 'member.roles', target: found.id, detail });
      return { roles };
    });
  }

  /** Ends every browser session and personal token with it; may be repeated. @throws SandgateError as {@link setRoles} */
  deactivate(organizationId: string, change: MemberChange): Promise<MembershipEntity> {
    return this.change(organizationId, change, async (tx, found) => {
      const isAboutOwner = found.roles.includes('owner');
      await authorize(tx, change, { found, isAboutOwner, losesOwner: isAboutOwner });
      const detail = await endCredentials(tx, found);
      await auditStep(tx, { actor: change.actor, action: 'member.deactivate', target: found.id, detail });
      return found.status === 'deactivated' ? {} : { status: 'deactivated', deactivated_at: CLOCK };
    });
  }

  /** What was revoked stays revoked; may be repeated. @throws SandgateError as {@link setRoles} */
  reactivate(organizationId: string, change: MemberChange): Promise<MembershipEntity> {
    return this.change(organizationId, change, async (tx, found) => {
      await authorize(tx, change, { found, isAboutOwner: found.roles.includes('owner'), losesOwner: false });
      // What was made while the member was being deactivated was of no use, and stays so.
      if (found.status === 'deactivated') await endCredentials(tx, found);
      await auditStep(tx, { actor: change.actor, action: 'member.reactivate', target: found.id });
      return { status: 'active', deactivated_at: null };
    });
  }

  private change(
    organizationId: string,
    { membershipId }: MemberChange,
    decide: (tx: TenantTransaction, found: MembershipEntity) => Promise<ChangedColumns>,
  ): Promise<MembershipEntity> {
    return this.database.withTenant(organizationId, async (tx) => {
      await lockIdentity(tx);
      // Whoever makes a credential of the member holds this row: it is found below, or it is never made.
      const lock = { mode: 'pessimistic_write' } as const;
      const found = await tx.manager.findOne(MembershipEntity, { where: { id: membershipId }, lock });
      if (found === null) throw notFound('member');
      const columns = await decide(tx, found);
      const changed = await updateRow(tx, MembershipEntity, { id: membershipId }, { ...columns, updated_at: CLOCK });
      if (changed === null) throw notFound('member');
      return changed;
    });
  }
}

async function endCredentials(tx: TenantTransaction, { user_id: userId }: MembershipEntity) {
  const [ended] = await tx.query<{ sessions: number; tokens: number }>('select * from svc_end_credentials($1)', [
    [userId],
  ]);
  return { sessions_revoked: ended?.sessions ?? 0, tokens_revoked: ended?.tokens ?? 0 };
}

interface ChangedColumns {
  roles?: Role[];
  status?: MembershipEntity['status'];
  deactivated_at?: typeof CLOCK | null;
}

interface Judged {
  found: MembershipEntity;
  /** Owner is granted, taken away, or what the member is. */
  isAboutOwner: boolean;
  losesOwner: boolean;
}

/**
 * @throws SandgateError `forbidden` for a change of an owner by somebody who is none, or who lost the right since the request was
 * admitted; `conflict` for taking away the last active owner
 */
async function authorize(
  tx: TenantTransaction,
  { authority }: MemberChange,
  { found, isAboutOwner, losesOwner }: Judged,
): Promise<void> {
  if (authority.of === 'deployment') return;
  if (authority.userId !== null) {
    const caller = await readActiveMember(tx, authority.userId);
    if (caller === null || !['admin', 'owner'].includes(caller.role)) {
      throw new SandgateError('forbidden', 'changing members needs the role admin or owner');
    }
    if (isAboutOwner && caller.role !== 'owner') {
      throw new SandgateError('forbidden', 'only an owner may give or take the role of owner, or deactivate an owner');
    }
  }
  if (losesOwner && found.status === 'active' && !(await hasOwner(tx, found.id))) {
    throw new SandgateError('conflict', 'this is the last active owner; make another one first');
  }
}
