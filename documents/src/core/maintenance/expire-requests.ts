import type { Record } from '../record/record.js';

type Asking = Pick<Record, 'query'>;

/** How long the history of deliveries is kept. */
const EVENT_DAYS = 30;

/** Deliveries of all organizations whose attempt has been due for so long: the driver has lost them. */
export async function listOverdueDeliveries(
  record: Asking,
  olderThanMs: number,
  limit: number,
): Promise<{ orgId: string; deliveryId: string }[]> {
  const rows = await record.query<{ org_id: string; delivery_id: string }>(
    'select org_id, delivery_id from docsvc_list_overdue_deliveries($1, $2)',
    [olderThanMs, limit],
  );
  return rows.map((row) => ({ orgId: row.org_id, deliveryId: row.delivery_id }));
}

/** Forgets events with their deliveries once they are old. @returns how many; fewer than asked for: there are no more */
export async function deleteOldEvents(record: Asking, limit: number): Promise<number> {
  const [row] = await record.query<{ deleted: number }>('select docsvc_delete_old_events($1, $2) as deleted', [
    EVENT_DAYS,
    limit,
  ]);
  return row?.deleted ?? 0;
}

/** Forgets uploads that ended so many days ago. @returns how many; fewer than asked for: there are no more */
export async function deleteEndedUploads(record: Asking, days: number, limit: number): Promise<number> {
  const [row] = await record.query<{ deleted: number }>('select docsvc_delete_ended_uploads($1, $2) as deleted', [
    days,
    limit,
  ]);
  return row?.deleted ?? 0;
}

/** Forgets tokens that ended, answers that are repeated no longer, and wrong secrets. */
export async function deleteSpentRequests(record: Asking): Promise<void> {
  await record.query('select docsvc_delete_spent_tokens()');
  await record.query('select docsvc_delete_expired_idempotency_keys()');
  await record.query('select docsvc_delete_spent_throttles()');
}
