import type { Role } from '../../../domain/identity/role.js';
import type { TenantTransaction } from '../../record/database.js';

/** A member with whom it is. */
export interface ListedMember {
  membership_id: string;
  user_id: string;
  roles: Role[];
  membership_status: 'active' | 'deactivated';
  email: string | null;
  name: string | null;
  user_status: 'active' | 'deactivated';
  idp_config_id: string | null;
  created_at: Date;
  last_login_at: Date | null;
}

export interface MemberFilter {
  /** Normalized. */
  email: string | null;
  /** Only members who came after that one. */
  after: string | null;
  limit: number;
}

/** In the order in which they came. */
export function listMembers(tx: TenantTransaction, { email, after, limit }: MemberFilter): Promise<ListedMember[]> {
  return tx.query<ListedMember>('select * from svc_list_members($1, $2, $3)', [email, after, limit]);
}
