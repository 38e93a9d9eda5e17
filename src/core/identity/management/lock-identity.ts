import type { TenantTransaction } from '../../record/database.js';

/**
 * Holds, until the end of the transaction, what changes of providers, owners and memberships serialize on, and the last step of a
 * login with them: every provider of the organization (docs/design/identity.md). What was read before may have changed meanwhile.
 */
export async function lockIdentity(tx: TenantTransaction): Promise<void> {
  await tx.query('select svc_lock_identity()');
}

/** Whether an active owner is there, besides that membership. */
export async function hasOwner(tx: TenantTransaction, besidesMembership: string | null = null): Promise<boolean> {
  const [row] = await tx.query<{ has: boolean }>('select svc_has_owner($1) as has', [besidesMembership]);
  return row?.has === true;
}
