import type pg from 'pg';
import type { Database, TenantTransaction } from '../record/database.js';
import { queryRow, queryRows } from '../record/query-row.js';
import type { OutboxKind } from '../../domain/run/outbox-kind.js';

/** Runs that may be active at once; null means unlimited. */
export interface AdmissionLimits {
  globalMaxActive: number | null;
  tenantMaxActive: number | null;
}

/** A host that was not seen for this long takes no new runs. */
export const HOST_SEEN_WITHIN_SECS = 60;
/** Grants of one pass, which holds the admission lock; every run that it wakes makes a pass of its own. */
const GRANTS_PER_PASS = 64;

/**
 * Grants free places to those next in line and wakes them (docs/design/runs.md): first in, first out inside an organization, by
 * creation; organizations in rotation, the least recently admitted first; an organization at its cap is passed over. Call it
 * after anything that frees a place or puts a run in line; repeating it is harmless.
 *
 * @returns how many were granted a place
 */
export async function admitWaiting(db: Database, limits: AdmissionLimits): Promise<number> {
  const rows = await queryRows<{ id: string; tenant_id: string; subject_id: string; kind: OutboxKind }>(db.pool, {
    text: 'select id, tenant_id, subject_id, kind from svc_admit_waiting($1, $2, $3, $4)',
    values: [limits.globalMaxActive, limits.tenantMaxActive, HOST_SEEN_WITHIN_SECS, GRANTS_PER_PASS],
  });
  const outbox = rows.map((row) => ({
    id: row.id,
    organizationId: row.tenant_id,
    subjectId: row.subject_id,
    kind: row.kind,
  }));
  db.announce({ outbox });
  return rows.length;
}

/** Gives the run's place back, once; call {@link admitWaiting} after the commit. @returns whether it had one */
export async function releaseCapacity(tx: TenantTransaction, runId: string): Promise<boolean> {
  const [row] = await tx.query<{ released: boolean }>('select svc_release_capacity($1, $2) as released', [
    tx.organizationId,
    runId,
  ]);
  return row?.released ?? false;
}

/**
 * How many more runs of the organization would be admitted at once, less those of its runs that are in line already. Grants
 * do not change it, so it stands still while admissions go on.
 */
export async function countFreePlaces(tx: TenantTransaction, limits: AdmissionLimits): Promise<number> {
  const [row] = await tx.query<{ free: number }>('select svc_free_places($1, $2, $3, $4) as free', [
    tx.organizationId,
    limits.globalMaxActive,
    limits.tenantMaxActive,
    HOST_SEEN_WITHIN_SECS,
  ]);
  return row?.free ?? 0;
}

/** Sets places and counters to what the runs say. @returns how many were wrong */
export async function recountCapacity(pool: pg.Pool): Promise<number> {
  return (await queryRow<{ wrong: number }>(pool, { text: 'select svc_recount_capacity() as wrong' })).wrong;
}
