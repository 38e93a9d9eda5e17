import type pg from 'pg';
import type { Database } from './database.js';
import { translateDatabaseErrors } from './database-errors.js';
import type { OutboxKind } from './outbox.js';

export interface CapacityLimits {
  /** Active runs of the deployment; null is unlimited. */
  globalMax: number | null;
  /** Active runs of one organization; null is unlimited. */
  tenantMax: number | null;
}

/**
 * Claims both counters for a run or none (chapter 10 §5). Repeating a claim is harmless.
 * `behind`: an older run of the organization waits, first in first out; `not_waiting`: the run is in no status to be admitted.
 */
export async function claimCapacity(
  pool: pg.Pool,
  input: { organizationId: string; sessionId: string } & CapacityLimits,
): Promise<'claimed' | 'full' | 'behind' | 'not_waiting'> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ outcome: 'claimed' | 'full' | 'behind' | 'not_waiting' }>(
      'select svc_claim_capacity($1, $2, $3, $4) as outcome',
      [input.organizationId, input.sessionId, input.globalMax, input.tenantMax],
    ),
  );
  return rows[0]?.outcome ?? 'not_waiting';
}

/** Gives a run's claim back, once, and wakes the run that is next. */
export async function releaseCapacity(
  db: Database,
  input: { organizationId: string; sessionId: string } & CapacityLimits,
): Promise<void> {
  const { rows } = await translateDatabaseErrors(() =>
    db.pool.query<{ id: string; tenant_id: string; session_id: string; kind: OutboxKind }>(
      'select id, tenant_id, session_id, kind from svc_release_capacity($1, $2, $3, $4)',
      [input.organizationId, input.sessionId, input.globalMax, input.tenantMax],
    ),
  );
  db.announce({
    outbox: rows.map((row) => ({
      id: row.id,
      organizationId: row.tenant_id,
      sessionId: row.session_id,
      kind: row.kind,
    })),
  });
}

/** Queued runs that fit now, organizations in turn, first in first out inside each. */
export async function nextQueued(
  pool: pg.Pool,
  limits: CapacityLimits & { limit: number },
): Promise<{ organizationId: string; sessionId: string }[]> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ organization_id: string; session_id: string }>('select * from svc_next_queued($1, $2, $3)', [
      limits.globalMax,
      limits.tenantMax,
      limits.limit,
    ]),
  );
  return rows.map((row) => ({ organizationId: row.organization_id, sessionId: row.session_id }));
}

/** Sets the counters to what the runs say. @returns how many were wrong */
export async function recountCapacity(pool: pg.Pool): Promise<number> {
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<{ wrong: number }>('select svc_recount_capacity() as wrong'),
  );
  return rows[0]?.wrong ?? 0;
}
