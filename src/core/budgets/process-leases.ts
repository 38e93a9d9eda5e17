import { v7 as uuidv7 } from 'uuid';
import type pg from 'pg';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';

/** A process is gone when its lease was not renewed for this long (docs/design/budgets.md). */
export const PROCESS_LEASE_SECS = 30;

/** Registers this process. @returns the id that its reservations carry */
export async function openProcessLease(
  pool: pg.Pool,
  input: { kind: 'api' | 'worker'; hostId: string | null },
): Promise<string> {
  const id = uuidv7();
  await translateDatabaseErrors(() =>
    pool.query(
      `insert into process_leases (id, kind, host_id, lease_expires_at)
       values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))`,
      [id, input.kind, input.hostId, PROCESS_LEASE_SECS],
    ),
  );
  return id;
}

/** Renews the lease; call it several times per `PROCESS_LEASE_SECS`. @returns false when it was lost: open a new one */
export async function renewProcessLease(pool: pg.Pool, id: string): Promise<boolean> {
  const { rowCount } = await translateDatabaseErrors(() =>
    pool.query(
      `update process_leases set lease_expires_at = clock_timestamp() + make_interval(secs => $2)
       where id = $1 and lease_expires_at > clock_timestamp()`,
      [id, PROCESS_LEASE_SECS],
    ),
  );
  return rowCount === 1;
}

/** On a clean stop, so that nothing waits for the lease to run out. */
export async function closeProcessLease(pool: pg.Pool, id: string): Promise<void> {
  await translateDatabaseErrors(() => pool.query('delete from process_leases where id = $1', [id]));
}
