import { occupiesCapacity, type RunStatus } from '../../domain/run/status.js';
import { admitWaiting, HOST_SEEN_WITHIN_SECS, type AdmissionLimits } from '../runs/capacity.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { lockRun, moveRun } from '../runs/run-moves.js';

export interface QueueLimits extends AdmissionLimits {
  /** Longest wait in the queue, in seconds. */
  queueTtlSecs: number;
}

export interface Admission {
  admitted: boolean;
  hostId: string | null;
  /** Milliseconds until the run should ask again by itself; null when it waits for a free place alone. */
  waitMs: number | null;
}

const NO_HOST = 'no sandbox host is online';
/** The status reason of a run that waits for a host with its harness. */
const noHarness = (harness: string) => `no sandbox host that is online has harness ${harness}`;

/**
 * Admits the next runs in line, then looks at this one: with a place it moves to `provisioning`, without one it is parked in the
 * queue (docs/design/runs.md). The place and the move are apart, so that the order of the queue is kept although each run is moved by
 * its own workflow. Repeating it changes nothing.
 */
export async function admitRun(
  db: Database,
  run: { organizationId: string; runId: string },
  limits: QueueLimits,
): Promise<Admission> {
  await admitWaiting(db, limits);
  return db.withTenant(run.organizationId, (tx) => takePlace(tx, run.runId, limits));
}

async function takePlace(tx: TenantTransaction, runId: string, limits: QueueLimits): Promise<Admission> {
  const status = await lockRun(tx, runId);
  if (status !== 'created' && status !== 'queued') {
    return { admitted: status !== null && occupiesCapacity(status), hostId: null, waitMs: null };
  }
  const [row] = await tx.query<{
    capacity_held: boolean;
    host_id: string | null;
    host_online: boolean;
    harness: string;
    harness_online: boolean;
  }>('select * from svc_read_place($1, $2)', [runId, HOST_SEEN_WITHIN_SECS]);
  if (row?.capacity_held === true) {
    await moveRun(tx, runId, status, 'provisioning', null);
    return { admitted: true, hostId: row.host_id, waitMs: null };
  }
  await park(tx, runId, status, reasonToWait(row));
  return { admitted: false, hostId: null, waitMs: await dueIn(tx, runId, limits.queueTtlSecs) };
}

function reasonToWait(
  row: { host_online: boolean; harness: string; harness_online: boolean } | undefined,
): string | null {
  if (row === undefined || !row.host_online) return NO_HOST;
  return row.harness_online ? null : noHarness(row.harness);
}

async function park(tx: TenantTransaction, runId: string, from: RunStatus, reason: string | null): Promise<void> {
  if (from === 'created') await moveRun(tx, runId, 'created', 'queued', reason);
}

/** Until the backoff of a requeued run is over, or its wait in the queue. */
async function dueIn(tx: TenantTransaction, runId: string, queueTtlSecs: number): Promise<number | null> {
  const [row] = await tx.query<{ ms: number | null }>('select svc_next_launch_ms($1, $2) as ms', [runId, queueTtlSecs]);
  return row?.ms ?? null;
}
