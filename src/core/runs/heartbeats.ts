import type pg from 'pg';
import { queryRow } from '../record/query-row.js';

/**
 * Records that the run's runner lives. Takes a pool of its own if the caller wants one: heartbeats must never queue behind
 * other work (docs/design/runner.md).
 *
 * @returns the run's status, or null when the organization has no such run
 */
export async function recordHeartbeat(pool: pg.Pool, organizationId: string, runId: string): Promise<string | null> {
  const { status } = await queryRow<{ status: string | null }>(pool, {
    name: 'svc_heartbeat',
    text: 'select svc_heartbeat($1, $2) as status',
    values: [organizationId, runId],
  });
  return status;
}
