import { redactEnd } from '../domain/redaction/redact-text.js';
import type { Database } from '../core/record/database.js';
import { recordFailure } from '../core/finalization/failures.js';
import { readSandboxHandle } from '../core/launch/launch.js';
import type { SandboxExit, SandboxProvider } from '../platform/sandbox/provider.js';
import { whileHeartbeating } from '../platform/temporal/heartbeats.js';
import type { RunRef, SandboxWatchActivities } from './run-activities.js';

export interface SandboxWatchDependencies {
  database: Database;
  provider: SandboxProvider;
}

/** How much of the runner's last output goes into `run.error` (docs/design/sandbox.md). */
const LAST_WORDS_CHARACTERS = 2048;

/** Supervision is one long activity per sandbox, not a poll per beat (docs/design/workflows.md). */
export function createSandboxWatchActivities(on: SandboxWatchDependencies): SandboxWatchActivities {
  return {
    superviseSandbox: (run) =>
      whileHeartbeating(async (signal) => {
        const handle = await on.database.withTenant(run.organizationId, (tx) => readSandboxHandle(tx, run.runId));
        if (handle === null) return { exitCode: null };
        const exit = await on.provider.waitForExit(handle, signal);
        await recordDeath(on, run, exit);
        return { exitCode: exit.exitCode };
      }),
  };
}

/** A sandbox that ended without a recorded result has failed; an existing finalization request wins. */
async function recordDeath(on: SandboxWatchDependencies, run: RunRef, exit: SandboxExit): Promise<void> {
  const { bytes } = await on.provider.readOutput(run.runId);
  const lastWords = redactEnd(bytes.toString('utf8'), LAST_WORDS_CHARACTERS).trim();
  const reason = `sandbox died (stale heartbeat) before the run reported a result: ${exit.reason}`;
  await recordFailure(on.database, run, lastWords === '' ? reason : `${reason}\n${lastWords}`, reason);
}
