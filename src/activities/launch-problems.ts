import { SandgateError } from '../domain/errors.js';
import { classifyLaunchProblem } from '../domain/run/launch-attempts.js';
import { admitWaiting, type AdmissionLimits } from '../core/runs/capacity.js';
import type { Database } from '../core/record/database.js';
import { recordFailure } from '../core/finalization/failures.js';
import { readLaunch } from '../core/launch/launch.js';
import { countLaunchFault, requeueRun, type RequeueLimits } from '../core/launch/requeue.js';
import type { RunRef } from './run-activities.js';

export interface LaunchProblemDependencies {
  database: Database;
  limits: AdmissionLimits & RequeueLimits;
  log: { warn(fields: Record<string, unknown>, message: string): void };
  /** Removes what the launch made on this host. */
  release(run: RunRef): Promise<void>;
}

/** A sandbox that does not come up is tried again this often before the run fails with the reason. */
const LAUNCH_ATTEMPTS = 3;

const HOST_FULL = 'the host has no disk space, memory, processes or descriptors for one more run';
const LAUNCH_BROKE = 'the sandbox could not be prepared: an internal error of its host, told in the log of the worker';

/**
 * What becomes of a run whose launch failed (docs/design/runs.md). Only failures of the host or the run count as attempts:
 * while the control plane is away the step is repeated.
 *
 * @throws the cause, where the step must be repeated, and where the cause is a defect for the log
 */
export async function settleLaunchProblem(on: LaunchProblemDependencies, run: RunRef, cause: unknown): Promise<void> {
  const words = cause instanceof SandgateError ? cause.message : undefined;
  switch (classifyLaunchProblem(cause)) {
    case 'outage':
      throw cause;
    case 'refused':
      await recordFailure(on.database, run, words ?? LAUNCH_BROKE);
      return;
    case 'out_of_capacity':
      on.log.warn({ err: cause, run: run.runId }, 'this host has no room for a run; it goes back into the queue');
      if (!(await requeue(on, run, words ?? HOST_FULL))) await countFault(on.database, run, cause, words ?? HOST_FULL);
      return;
    case 'fault':
      await countFault(on.database, run, cause, words ?? LAUNCH_BROKE);
  }
}

/** False when it is too late to go back into the queue: the workspace is being prepared already. */
async function requeue(on: LaunchProblemDependencies, run: RunRef, words: string): Promise<boolean> {
  const { database, limits } = on;
  await on.release(run);
  const { moved, owned } = await database.withTenant(run.organizationId, async (tx) => ({
    moved: await requeueRun(tx, run.runId, words, limits),
    owned: (await readLaunch(tx, run.runId)) !== undefined,
  }));
  await admitWaiting(database, limits);
  return moved !== 'lost' || !owned;
}

async function countFault(database: Database, run: RunRef, cause: unknown, words: string): Promise<void> {
  const faults = await database.withTenant(run.organizationId, (tx) => countLaunchFault(tx, run.runId));
  if (faults < LAUNCH_ATTEMPTS) throw cause;
  await recordFailure(database, run, words);
  if (!(cause instanceof SandgateError)) throw cause;
}
