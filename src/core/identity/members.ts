import { highestRole, type Role } from '../../domain/identity/role.js';
import type { TenantTransaction } from '../record/database.js';

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
  const [row] = await tx.query<{ roles: Role[] }>(
    `select m.roles from users u join org_memberships m on m.tenant_id = u.tenant_id and m.user_id = u.id
      where u.id = $1 and u.status = 'active' and m.status = 'active'`,
    [userId],
  );
  const role = row === undefined ? null : highestRole(row.roles);
  return row === undefined || role === null ? null : { userId, role, roles: row.roles };
}
