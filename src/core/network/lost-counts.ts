import type pg from 'pg';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { TenantTransaction } from '../record/database.js';
import { queryRows } from '../record/query-row.js';

const REASON =
  'a process of the control plane ended before it had recorded all that it counted: ' +
  'connections and bytes of its last second may be missing';

/** Runs of all organizations of which a process that is gone has lost counts. */
export async function listLostCounts(
  pool: pg.Pool,
  limit: number,
): Promise<{ organizationId: string; runId: string }[]> {
  return queryRows(pool, {
    text: 'select organization_id as "organizationId", session_id as "runId" from svc_list_lost_observers($1)',
    values: [limit],
  });
}

/** Says, once for each loss, that the record of what a run reached has a gap; the caller appends it. */
export async function tellLostCounts(tx: TenantTransaction, runId: string): Promise<NewEvent[]> {
  const [row] = await tx.query<{ lost: number }>('select svc_take_lost_observers($1) as lost', [runId]);
  if ((row?.lost ?? 0) === 0) return [];
  return [{ actor: 'system', type: 'network.observation.degraded', data: { reason: REASON } }];
}
