import type { NewEvent } from '../../domain/events/event-kinds.js';
import { requeueDelaySecs } from '../../domain/run/launch-attempts.js';
import { releaseCapacity } from '../runs/capacity.js';
import type { TenantTransaction } from '../record/database.js';
import { requestFinalization } from '../finalization/finalization-requests.js';
import { readLaunch } from './launch.js';
import { moveRun } from '../runs/run-moves.js';

export interface RequeueLimits {
  /** Launches that may fail for lack of room; the last one fails the run. */
  launchMaxAttempts: number;
  /** First wait between two launches, in seconds; it doubles. */
  launchRequeueBackoffSecs: number;
}

/**
 * Puts a run whose host has no room back into the queue, without its place, to be tried again after a backoff; after the last
 * attempt it fails (docs/design/runs.md). `lost`: the run is no longer the launch's to move. A pass of admission belongs behind it.
 *
 * @param problem what the host lacks, in words for people
 */
export async function requeueRun(
  tx: TenantTransaction,
  runId: string,
  problem: string,
  limits: RequeueLimits,
): Promise<'requeued' | 'failed' | 'lost'> {
  const row = await readLaunch(tx, runId);
  if (row?.status !== 'provisioning') return 'lost';
  const [counted] = await tx.query<{ launch_attempts: number }>(
    'select svc_count_launch_attempt($1) as launch_attempts',
    [runId],
  );
  const attempts = counted?.launch_attempts ?? 1;
  if (attempts >= limits.launchMaxAttempts) {
    const reason = `capacity_exhausted_max_attempts: ${problem} (${attempts} launches)`;
    const error: NewEvent = { actor: 'system', type: 'run.error', data: { message: reason } };
    await requestFinalization(tx, runId, { outcome: 'failed', reason, wantsQuiesce: false }, [error]);
    return 'failed';
  }
  const waitSecs = requeueDelaySecs(attempts, limits.launchRequeueBackoffSecs);
  await tx.query('select svc_postpone_launch($1, $2)', [runId, waitSecs]);
  await releaseCapacity(tx, runId);
  const reason = `out of capacity: ${problem}; launch ${attempts + 1} of ${limits.launchMaxAttempts} in ${waitSecs} s`;
  await moveRun(tx, runId, 'provisioning', 'queued', reason);
  return 'requeued';
}

/** Counts a launch that broke for a reason other than lack of room. @returns how many there were */
export async function countLaunchFault(tx: TenantTransaction, runId: string): Promise<number> {
  const [row] = await tx.query<{ launch_faults: number }>('select svc_count_launch_fault($1) as launch_faults', [
    runId,
  ]);
  return row?.launch_faults ?? 1;
}
