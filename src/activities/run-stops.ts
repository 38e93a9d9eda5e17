import type { Database } from '../core/record/database.js';
import { recordFailure } from '../core/finalization/failures.js';
import { expireInQueue, stopByWallClock } from '../core/finalization/driver-stops.js';
import type { DriverStop, RunRef } from './run-activities.js';

/** What is needed to end a run outside of the gate. */
export interface RunStopDependencies {
  database: Database;
  capacity: { queueTtlSecs: number };
  quiesceSecs: number;
}

/** The sentences of a stop that the driver decided (docs/design/runs.md). */
const FAILURES: Record<Exclude<DriverStop['code'], 'wall_clock' | 'queue_ttl'>, string> = {
  launch_deadline: 'stalled before launch: the sandbox did not start in time',
  sandbox_exited: 'sandbox died (stale heartbeat): it ended before the run reported a result',
  host_lost: 'the sandbox host went away and did not come back in time',
  finalization_request_lost: 'the run was winding down without a finalization request',
};

/** Records why the driver ends a run; an earlier finalization request wins. */
export async function stopRun(on: RunStopDependencies, run: RunRef, stop: DriverStop): Promise<void> {
  switch (stop.code) {
    case 'queue_ttl':
      return on.database.withTenant(run.organizationId, (tx) => expireInQueue(tx, run.runId, on.capacity.queueTtlSecs));
    case 'wall_clock':
      return on.database.withTenant(run.organizationId, (tx) => stopByWallClock(tx, run.runId, on.quiesceSecs));
    default:
      await recordFailure(on.database, run, FAILURES[stop.code]);
  }
}
