import { digestOfText } from '../../../domain/digest/digest.js';
import type { MappedClaims } from '../../../domain/identity/claim-mapping.js';
import { ROLES, type Role } from '../../../domain/identity/role.js';
import { changeRow, CLOCK } from '../../../platform/postgres/write-rows.js';
import type { TenantTransaction } from '../../record/database.js';
import { auditStep, type AuditActor } from '../audit-log.js';
import { MembershipEntity } from '../membership.entity.js';

/**
 * The first owner: a verified address that was armed makes its login an owner, once, in time, and while there is none. The arm is
 * consumed in any case. The caller holds the lock of the provider's row.
 *
 * @returns the member with the roles that it has now
 */
export async function consumeOwnerArm<M extends { membershipId: string; roles: Role[] }>(
  tx: TenantTransaction,
  configId: string,
  member: M,
  { emailNormalized, emailVerified }: MappedClaims,
  actor: AuditActor,
): Promise<M> {
  if (!emailVerified || emailNormalized === null) return member;
  const [arm] = await tx.query<{ arm_id: string; promoted: boolean }>('select * from svc_consume_owner_arm($1, $2)', [
    configId,
    emailNormalized,
  ]);
  if (arm === undefined) return member;
  const roles = arm.promoted ? ROLES.filter((role) => role === 'owner' || member.roles.includes(role)) : member.roles;
  const key = { id: member.membershipId, tenant_id: tx.organizationId };
  if (arm.promoted) await changeRow(tx, MembershipEntity, key, { roles, updated_at: CLOCK });
  await auditStep(tx, {
    actor,
    action: arm.promoted ? 'bootstrap_owner.promote' : 'bootstrap_owner.reject_and_consume',
    target: member.membershipId,
    detail: { arm_id: arm.arm_id, email: digestOfText(emailNormalized) },
  });
  return { ...member, roles };
}
