import { highestRole, type Role } from '../../domain/identity/role.js';
import { OrganizationEntity } from '../organizations/organization.entity.js';
import type { TenantTransaction } from '../record/database.js';
import { UserEntity } from './user.entity.js';

/** A user whose account and membership are both active. */
export interface ActiveMember {
  userId: string;
  role: Role;
  roles: Role[];
}

/**
 * Reads the member as it stands now; roles and status are never cached (docs/design/identity.md).
 *
 * @returns null for a stranger, and for one whose account or membership is not active
 */
export async function readActiveMember(tx: TenantTransaction, userId: string): Promise<ActiveMember | null> {
  const [row] = await tx.query<{ roles: Role[] | null }>('select svc_read_member_roles($1) as roles', [userId]);
  const roles = row?.roles ?? null;
  const role = roles === null ? null : highestRole(roles);
  return roles === null || role === null ? null : { userId, role, roles };
}

/**
 * The roles that a credential stands for at this moment, without counting as a use of it.
 *
 * @returns null when the credential, the membership, the account or the organization is over
 */
export async function readLiveRoles(
  tx: TenantTransaction,
  credential: { sessionId: string } | { tokenId: string },
): Promise<Role[] | null> {
  const ids = 'sessionId' in credential ? [credential.sessionId, null] : [null, credential.tokenId];
  const [row] = await tx.query<{ roles: Role[] | null }>('select svc_read_live_roles($1, $2) as roles', ids);
  return row?.roles ?? null;
}

/** Somebody as a page shows them. */
export interface NamedMember {
  /** An address or a name; the id of a person who has neither. */
  person: string;
  organization: string;
}

/** How a page names a user of this organization. */
export async function nameMember(tx: TenantTransaction, userId: string): Promise<NamedMember> {
  const user = await tx.manager.findOneByOrFail(UserEntity, { id: userId });
  const organization = await tx.manager.findOneByOrFail(OrganizationEntity, { id: tx.organizationId });
  return {
    person: user.email?.trim() ?? user.name ?? user.id,
    organization: organization.display_name ?? organization.slug,
  };
}
