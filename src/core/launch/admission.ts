import { whyNotLaunched } from '../../domain/network/recheck-grant.js';
import { occupiesCapacity, type RunStatus } from '../../domain/run/status.js';
import { admitWaiting, HOST_SEEN_WITHIN_SECS, type AdmissionLimits } from '../runs/capacity.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { hasFinalizationRequest } from '../finalization/finalization-requests.js';
import { lockRun, moveRun } from '../runs/run-moves.js';
import { refuseNetwork } from './authorization.js';

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
 * its own workflow. A run whose network grant would end before it may is failed instead. Repeating it changes nothing.
 */
export async function admitRun(
  db: Database,
  run: { organizationId: string; runId: string },
  limits: QueueLimits,
): Promise<Admission> {
  await admitWaiting(db, limits);
  return db.withTenant(run.organizationId, (tx) => takePlace(tx, run.runId, limits));
}

/** What the record says of a waiting run. */
interface PlaceRow {
  capacity_held: boolean;
  host_id: string | null;
  host_online: boolean;
  harness: string;
  harness_online: boolean;
  /** Null for an offline run. */
  grant_status: string | null;
  grant_left_secs: number | null;
  wall_clock_secs: number | null;
}

async function takePlace(tx: TenantTransaction, runId: string, limits: QueueLimits): Promise<Admission> {
  const status = await lockRun(tx, runId);
  if (status !== 'created' && status !== 'queued') {
    return { admitted: status !== null && occupiesCapacity(status), hostId: null, waitMs: null };
  }
  const [row] = await tx.query<PlaceRow>('select * from svc_read_place($1, $2)', [runId, HOST_SEEN_WITHIN_SECS]);
  const problem = row === undefined ? null : grantProblem(row);
  if (problem !== null) {
    const reason = `network grant got too short while the run waited: ${problem}`;
    if (!(await hasFinalizationRequest(tx, runId))) await refuseNetwork(tx, runId, 'revoked', reason);
    return { admitted: false, hostId: null, waitMs: null };
  }
  if (row?.capacity_held === true) {
    await moveRun(tx, runId, status, 'provisioning', null);
    return { admitted: true, hostId: row.host_id, waitMs: null };
  }
  await park(tx, runId, status, reasonToWait(row));
  return { admitted: false, hostId: null, waitMs: await dueIn(tx, runId, limits.queueTtlSecs) };
}

/** Why the run must not be launched with its network grant any more. */
function grantProblem(row: PlaceRow): string | null {
  if (row.grant_status === null) return null;
  return whyNotLaunched({
    isActive: row.grant_status === 'active',
    leftSecs: row.grant_left_secs ?? 0,
    wallClockSecs: row.wall_clock_secs,
  });
}

function reasonToWait(row: PlaceRow | undefined): string | null {
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
