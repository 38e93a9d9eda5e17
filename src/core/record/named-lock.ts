import type { OrganizationTransaction } from '../../platform/postgres/postgres.js';

/** Holds the lock of that name until the end of the transaction: its holders run one after the other. */
export async function lockName(tx: OrganizationTransaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
