import { ActivityFailure, condition, sleep } from '@temporalio/workflow';
import type { RunRef, RunView } from '../activities/run-activities.js';
import { isHostLost } from './host-lost.js';
import { brokerActivities, hostActivities, record } from './run-activities.js';
import type { RunDriverState } from './run-driver-state.js';

const RESERVATION_RECHECK_MS = 1_000;

/**
 * Winds a run down: quiesce, kill, confirm, collect, settle, conclude, clean (docs/design/runs.md). Every step is idempotent, and
 * nothing that destroys evidence happens before the terminal move.
 */
export async function finalizeRun(ref: RunRef, view: RunView, driver: RunDriverState): Promise<void> {
  const terminal = ['completed', 'failed', 'cancelled', 'budget_exceeded'].includes(view.status);
  const host = view.hostId === null ? null : hostActivities(view.hostId, view.timing);
  if (!terminal) {
    const waitMs = await quiesce(ref, view, driver);
    driver.say('Stops the sandbox and collects the diff.');
    await record.beginFinalizing(ref);
    await driver.look();
    if (host !== null) await collectFromHost(ref, host, waitMs, driver);
    if (view.brokered) await driver.calls.settle(view.timing.reservationDrainMs);
    await settleModelSpend(ref, view.timing.reservationDrainMs);
    await record.concludeRun(ref);
  }
  if (view.brokered) await closeUpstreamSessions(ref, view);
  driver.say('Removes the sandbox and its workspace.');
  driver.unwatch();
  // A host that comes back removes what it still has by itself, at its boot.
  if (host !== null) await onHost(driver, () => host.release(ref));
  await record.forgetFinalizationRequest(ref);
  await driver.look();
  driver.say('The run is over.');
}

/** Gives a live runner until the deadline to stop; returns how long to wait for it to exit. */
async function quiesce(ref: RunRef, view: RunView, driver: RunDriverState): Promise<number> {
  const deadlineMs = view.finalizationRequest?.msUntilQuiesceDeadline ?? null;
  const alive = view.status === 'running' || view.status === 'awaiting_approval' || view.status === 'cancelling';
  if (deadlineMs === null || !alive || view.hostId === null) return view.sandboxAttached ? view.timing.exitGraceMs : 0;
  driver.say('Asks the runner to stop.');
  await record.beginQuiesce(ref);
  await driver.look();
  driver.watch(ref, view.hostId, view.timing);
  await condition(() => driver.exit !== null || driver.hostLost, Math.max(1, Math.ceil(deadlineMs)));
  return 0;
}

async function collectFromHost(
  ref: RunRef,
  host: ReturnType<typeof hostActivities>,
  graceMs: number,
  driver: RunDriverState,
): Promise<void> {
  const collected = await onHost(driver, async () => {
    await host.stop(ref, graceMs);
    await host.collect(ref);
  });
  if (!collected) await record.recordMissingDiff(ref, driver.hostLost ? 'host_lost' : 'collection_failed');
}

/** Settles every reservation before the terminal move: a short drain, then each is counted in full (docs/design/budgets.md). */
async function settleModelSpend(ref: RunRef, drainMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < drainMs; waitedMs += RESERVATION_RECHECK_MS) {
    if ((await record.drainReservations(ref, false)) === 0) return;
    await sleep(RESERVATION_RECHECK_MS);
  }
  await record.drainReservations(ref, true);
}

/** What cannot be closed now is given up later by maintenance; the run is over either way. */
async function closeUpstreamSessions(ref: RunRef, view: RunView): Promise<void> {
  try {
    await brokerActivities(view.timing).close(ref);
  } catch (failure) {
    if (!(failure instanceof ActivityFailure)) throw failure;
  }
}

/** Does a step on the host; false when it failed for good. A host that is known to be lost is not waited for again. */
async function onHost(driver: RunDriverState, step: () => Promise<void>): Promise<boolean> {
  if (driver.hostLost) return false;
  try {
    await step();
    return true;
  } catch (failure) {
    if (!(failure instanceof ActivityFailure)) throw failure;
    driver.hostLost = isHostLost(failure);
    return false;
  }
}
