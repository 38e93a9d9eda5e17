import { CancellationScope, condition, continueAsNew, isCancellation } from '@temporalio/workflow';
import type { RunRef, RunView } from '../activities/run-activities.js';
import { isHostLost } from './host-lost.js';
import { finalizeRun } from './run-finalization.js';
import { hostActivities, record } from './run-activities.js';
import { isHistoryLong } from './long-history.js';
import { RunDriverState } from './run-driver-state.js';

/** A queued run looks again by itself, in case the signal that grants capacity was never sent. */
const QUEUE_RECHECK_MS = 60_000;
/** How soon the signal follows the record of a finalization request. */
const FINALIZATION_SIGNAL_MS = 2_000;

/**
 * Drives one run from its row to its end (docs/design/workflows.md). Re-entrant: started for a run in any status, it reads the row and
 * goes on from there, so losing the driver's store loses no run. It decides from the row alone; signals only wake it.
 */
export async function run(ref: RunRef): Promise<void> {
  const driver = new RunDriverState(ref);
  await drive(ref, driver);
  await driver.calls.finish();
}

async function drive(ref: RunRef, driver: RunDriverState): Promise<void> {
  for (;;) {
    const view = await driver.look();
    if (view === null) return;
    if (view.status === 'unknown') {
      driver.say('The status was written by a newer version: leaving the run to it.');
      return;
    }
    if (view.finalizationRequest !== null) {
      await finalizeRun(ref, view, driver);
      return;
    }
    if (await advance(ref, view, driver)) return;
    if (isHistoryLong()) {
      await driver.calls.drain();
      await continueAsNew<typeof run>(ref);
    }
  }
}

/** One step of a run that nobody has asked to stop. True when there is nothing left to drive. */
async function advance(ref: RunRef, view: RunView, driver: RunDriverState): Promise<boolean> {
  switch (view.status) {
    case 'created':
    case 'queued':
      await admit(ref, view, driver);
      return false;
    case 'provisioning':
    case 'initializing':
      await launch(ref, view, driver);
      return false;
    case 'running':
    case 'awaiting_approval':
      await supervise(ref, view, driver);
      return false;
    case 'awaiting_authorization':
      await authorize(ref, view, driver);
      return false;
    case 'cancelling':
    case 'finalizing':
      await record.stopRun(ref, { code: 'finalization_request_lost' });
      return false;
    default:
      return true;
  }
}

async function admit(ref: RunRef, view: RunView, driver: RunDriverState): Promise<void> {
  if (isOverdue(view.msUntilQueueExpiry)) {
    await record.stopRun(ref, { code: 'queue_ttl' });
    // The finalization request wakes this workflow too. Ending the run before that signal arrives would make its workflow task
    // fail.
    await driver.wake(FINALIZATION_SIGNAL_MS);
    return;
  }
  driver.clearWake();
  const { admitted, waitMs } = await record.admitRun(ref);
  if (admitted) return;
  driver.say('Waits in the queue for capacity.');
  await driver.wake(Math.min(waitMs ?? QUEUE_RECHECK_MS, QUEUE_RECHECK_MS));
}

/** Waits until somebody has authorized the network of the run, or nobody has in time; then the record decides. */
async function authorize(ref: RunRef, view: RunView, driver: RunDriverState): Promise<void> {
  if (isOverdue(view.msUntilApprovalExpiry)) return record.expireApprovals(ref);
  if (view.pendingApprovals > 0) {
    driver.say('Waits for a person to authorize the network of the run.');
    return driver.wake(view.msUntilApprovalExpiry);
  }
  const { state } = await record.authorizeRun(ref);
  // The signal of the finalization request is on its way.
  if (state === 'refused') await driver.wake(FINALIZATION_SIGNAL_MS);
}

async function launch(ref: RunRef, view: RunView, driver: RunDriverState): Promise<void> {
  if (view.hostId === null || (view.msUntilLaunchDeadline ?? 0) <= 0) {
    await record.stopRun(ref, { code: 'launch_deadline' });
    return;
  }
  driver.say('Prepares the workspace and starts the sandbox.');
  const { launch: launchSandbox } = hostActivities(view.hostId, view.timing);
  const scope = new CancellationScope();
  const launching = scope.run(() => launchSandbox(ref));
  let settled = false;
  const outcome = launching
    .then(() => undefined)
    .catch(async (failure: unknown) => {
      if (!isCancellation(failure))
        await record.stopRun(ref, { code: isHostLost(failure) ? 'host_lost' : 'launch_deadline' });
    })
    .finally(() => {
      settled = true;
    });
  const over = () => settled || driver.finalizationSeen;
  const inTime =
    view.setsUp === true
      ? await awaitSetup(ref, view, driver, over)
      : await condition(over, view.msUntilLaunchDeadline ?? 0);
  if (!settled) {
    scope.cancel();
    await outcome;
    if (!inTime) await record.stopRun(ref, { code: 'launch_deadline' });
  }
}

/**
 * Waits for a launch that runs setup commands, about which people may be asked: their questions expire meanwhile, and the deadline moves on
 * as they wait. False when the launch takes too long.
 */
async function awaitSetup(ref: RunRef, first: RunView, driver: RunDriverState, over: () => boolean): Promise<boolean> {
  let view: RunView | null = first;
  while (view !== null && !over()) {
    const { msUntilLaunchDeadline, msUntilApprovalExpiry } = view;
    if (isOverdue(msUntilLaunchDeadline)) return false;
    if (isOverdue(msUntilApprovalExpiry)) await record.expireApprovals(ref);
    else await driver.wake(Math.min(msUntilLaunchDeadline ?? 0, msUntilApprovalExpiry ?? Infinity), over);
    if (!over()) view = await driver.look();
  }
  return true;
}

/** Waits for whatever comes first: the sandbox's end, a finalization request, an expiry, the wall clock. */
async function supervise(ref: RunRef, first: RunView, driver: RunDriverState): Promise<void> {
  if (first.hostId === null) {
    await record.stopRun(ref, { code: 'host_lost' });
    return;
  }
  driver.watch(ref, first.hostId, first.timing);
  let view: RunView | null = first;
  while (
    view !== null &&
    view.finalizationRequest === null &&
    (view.status === 'running' || view.status === 'awaiting_approval')
  ) {
    if (await stopWhenOver(ref, view, driver)) return;
    if (isOverdue(view.msUntilApprovalExpiry)) await record.expireApprovals(ref);
    else if (isOverdue(view.msUntilClaimExpiry)) await record.giveUpClaims(ref, 'expired');
    else if (isOverdue(view.msUntilWallClockWarning)) await record.warnWallClock(ref);
    else await driver.wake(untilDue(view));
    if (isHistoryLong()) return;
    view = await driver.look();
  }
}

async function stopWhenOver(ref: RunRef, view: RunView, driver: RunDriverState): Promise<boolean> {
  if (isOverdue(view.msUntilWallClock)) await record.stopRun(ref, { code: 'wall_clock' });
  else if (driver.hostLost) await record.stopRun(ref, { code: 'host_lost' });
  else if (driver.exit !== null) await record.stopRun(ref, { code: 'sandbox_exited', exitCode: driver.exit.exitCode });
  else return false;
  return true;
}

function isOverdue(ms: number | null): boolean {
  return ms !== null && ms <= 0;
}

function untilDue(view: RunView): number | null {
  const { msUntilWallClock, msUntilApprovalExpiry, msUntilWallClockWarning, msUntilClaimExpiry } = view;
  const durations = [msUntilWallClock, msUntilApprovalExpiry, msUntilWallClockWarning, msUntilClaimExpiry];
  const due = durations.filter((duration) => duration !== null);
  return due.length === 0 ? null : Math.min(...due);
}
