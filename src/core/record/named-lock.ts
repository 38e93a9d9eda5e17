import type { OrganizationTransaction } from '../../platform/postgres/postgres.js';

/** Longer than what a holder of a lock may wait for before its commit: a database connection, and a token request of 15 s. */
const LONG_WAIT = '50s';

/** Lets the rest of the transaction wait for locks that are held while somebody speaks to a server outside. */
export async function waitLongForLocks(tx: OrganizationTransaction): Promise<void> {
  await tx.query(`select set_config('lock_timeout', $1, true), set_config('statement_timeout', $1, true)`, [LONG_WAIT]);
}

/** Holds the lock of that name until the end of the transaction: its holders run one after the other. */
export async function lockName(tx: OrganizationTransaction, name: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [name]);
}
