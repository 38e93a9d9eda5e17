import type { RunRef } from '../activities/run-activities.js';
import type { LedgerWakeups } from '../core/record/wakeups.js';
import type { Logger } from '../platform/telemetry/logger.js';

/** How many runs may be admitted ahead of their workflows at once. More are left to the workflows. */
const AT_ONCE = 4;

/**
 * Admits runs as soon as their workflows were started, while Temporal is still dispatching those: the workflow finds the run
 * admitted and goes on from there. Nothing depends on it, so a failure is logged and left to the workflow.
 */
export function followStartedRuns(
  wakeups: LedgerWakeups,
  admit: (run: RunRef) => Promise<unknown>,
  log: Pick<Logger, 'warn'>,
): { stop(): void } {
  let underWay = 0;
  const stop = wakeups.onStarted((run) => {
    if (underWay >= AT_ONCE) return;
    underWay += 1;
    admit(run)
      .catch((cause: unknown) => log.warn({ err: cause, run: run.runId }, 'a run is left to its workflow'))
      .finally(() => {
        underWay -= 1;
      });
  });
  return { stop };
}
