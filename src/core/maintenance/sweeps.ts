import type pg from 'pg';
import type { BudgetCap } from '../../domain/budgets/effective-budgets.js';
import type { Database } from '../record/database.js';
import { queryRows } from '../record/query-row.js';
import { settleWithin, unreported } from '../budgets/reservations.js';

/** A run as the maintenance of a deployment sees it: ids and states only. `status` may be one that this build does not know. */
export interface RunReference {
  organizationId: string;
  runId: string;
  status: string;
}

export interface UnfinishedRun extends RunReference {
  hostId: string | null;
  /** A finalization request is recorded. */
  hasFinalizationRequest: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Runs of all organizations that are not terminal, by id; page with the last id. */
export async function listUnfinishedRuns(pool: pg.Pool, after: string | null, limit: number): Promise<UnfinishedRun[]> {
  const rows = await call<{
    organization_id: string;
    session_id: string;
    status: string;
    host_id: string | null;
    has_finalization_request: boolean;
    created_at: Date;
    updated_at: Date;
  }>(pool, 'select * from svc_list_unfinished_runs($1, $2)', [after, limit]);
  return rows.map((row) => ({
    ...toReference(row),
    hostId: row.host_id,
    hasFinalizationRequest: row.has_finalization_request,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/** Terminal runs that still have a finalization request: their cleanup is not confirmed. */
export async function listUncleanedRuns(pool: pg.Pool, limit: number): Promise<RunReference[]> {
  return (await call<ReferenceRow>(pool, 'select * from svc_list_uncleaned_runs($1)', [limit])).map(toReference);
}

/** Runs placed on a host that are not terminal: whose plane sockets and sandboxes must exist there. */
export async function listHostRuns(pool: pg.Pool, hostId: string): Promise<RunReference[]> {
  return (await call<ReferenceRow>(pool, 'select * from svc_list_host_runs($1)', [hostId])).map(toReference);
}

/** What the record knows of these runs; unknown ids (orphans) are missing from the answer. */
export async function findRuns(pool: pg.Pool, runIds: string[]): Promise<(RunReference & { hostId: string | null })[]> {
  const rows = await call<ReferenceRow & { host_id: string | null }>(pool, 'select * from svc_find_runs($1::uuid[])', [
    runIds,
  ]);
  return rows.map((row) => ({ ...toReference(row), hostId: row.host_id }));
}

/** Runs with a pending approval past its deadline, for when their own timers failed. */
export async function listOverdueApprovals(
  pool: pg.Pool,
  limit: number,
): Promise<{ organizationId: string; runId: string }[]> {
  const rows = await call<ReferenceRow>(pool, 'select * from svc_list_overdue_approvals($1)', [limit]);
  return rows.map((row) => ({ organizationId: row.organization_id, runId: row.session_id }));
}

/**
 * Gives up reservations whose process lost its lease or which outlived their deadline: they stay counted in full.
 *
 * @returns how many
 */
export async function sweepReservations(db: Database, limit: number): Promise<number> {
  const dead = await call<{ organization_id: string; session_id: string; reservation_id: string }>(
    db.pool,
    'select * from svc_list_dead_reservations($1)',
    [limit],
  );
  for (const row of dead) {
    await db.withTenant(row.organization_id, (tx) =>
      settleWithin(tx, unreported(row.organization_id, row.session_id, row.reservation_id)),
    );
    db.observer?.reservation('swept');
  }
  return dead.length;
}

/** Runs that reached a cap and that nobody has ended, because the process that saw it died. */
export async function listOverspentRuns(
  pool: pg.Pool,
  limit: number,
): Promise<{ organizationId: string; runId: string; cap: BudgetCap }[]> {
  const rows = await call<{ organization_id: string; session_id: string; budget: BudgetCap }>(
    pool,
    'select * from svc_list_overspent_runs($1)',
    [limit],
  );
  return rows.map((row) => ({ organizationId: row.organization_id, runId: row.session_id, cap: row.budget }));
}

/**
 * Deletes payloads past their retention, old idempotency claims, webhooks that were handled 30 days ago and leases of dead processes.
 *
 * @returns how many rows
 */
export async function sweepExpired(
  pool: pg.Pool,
  options: { limit: number; idempotencyDays: number },
): Promise<number> {
  const [row] = await call<{ swept: number }>(pool, 'select svc_sweep_expired($1, $2) as swept', [
    options.limit,
    options.idempotencyDays,
  ]);
  return row?.swept ?? 0;
}

/** Deletes what logins that are over left behind. @returns how many rows; up to `limit` of each kind */
export async function sweepLogins(pool: pg.Pool, limit: number): Promise<number> {
  const [row] = await call<{ swept: number }>(pool, 'select svc_sweep_logins($1) as swept', [limit]);
  return row?.swept ?? 0;
}

interface ReferenceRow {
  organization_id: string;
  session_id: string;
  status: string;
}

function toReference(row: ReferenceRow): RunReference {
  return { organizationId: row.organization_id, runId: row.session_id, status: row.status };
}

function call<R extends object>(pool: pg.Pool, sql: string, values: unknown[]): Promise<R[]> {
  return queryRows<R>(pool, { text: sql, values });
}
