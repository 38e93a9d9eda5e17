import type pg from 'pg';
import { newRowId } from '../../platform/postgres/row-id.js';
import { queryRow, queryRows } from '../record/query-row.js';

/** A process is gone when its lease was not renewed for this long (docs/design/budgets.md). */
export const PROCESS_LEASE_SECS = 30;

/** Registers this process. @returns the id that its reservations carry */
export async function openProcessLease(
  pool: pg.Pool,
  input: { kind: 'api' | 'worker'; hostId: string | null },
): Promise<string> {
  const id = newRowId();
  await queryRows(pool, {
    text: 'select svc_open_process_lease($1, $2, $3, $4)',
    values: [id, input.kind, input.hostId, PROCESS_LEASE_SECS],
  });
  return id;
}

/** Renews the lease; call it several times per `PROCESS_LEASE_SECS`. @returns false when it was lost: open a new one */
export async function renewProcessLease(pool: pg.Pool, id: string): Promise<boolean> {
  const { kept } = await queryRow<{ kept: boolean }>(pool, {
    text: 'select svc_renew_process_lease($1, $2) as kept',
    values: [id, PROCESS_LEASE_SECS],
  });
  return kept;
}

/** On a clean stop, so that nothing waits for the lease to run out. */
export async function closeProcessLease(pool: pg.Pool, id: string): Promise<void> {
  await queryRows(pool, { text: 'select svc_close_process_lease($1)', values: [id] });
}
