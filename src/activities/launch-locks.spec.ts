import { describe, expect, it } from '@jest/globals';
import { LaunchLocks, type LaunchResult } from './launch-locks.js';
import type { RunRef } from './run-activities.js';

const RUN: RunRef = { organizationId: 'org', runId: 'run' };
const LIMITS = { maxConcurrentProvisions: 4, maxStartsPerSec: 100 };
const { signal: NEVER } = new AbortController();

/** Locks whose launches end when the test says so. */
function startLocks() {
  const launches: ((result: LaunchResult) => void)[] = [];
  const locks = new LaunchLocks(LIMITS, () => new Promise((resolve) => launches.push(resolve)));
  const begun = async (count: number): Promise<void> => {
    while (launches.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { locks, launches, begun };
}

describe('the launches of a host', () => {
  it('one that is repeated while it goes on waits for the first', async () => {
    const { locks, launches, begun } = startLocks();
    const [first, second] = [locks.take(RUN, NEVER), locks.take(RUN, NEVER)];
    await begun(1);
    expect(launches).toHaveLength(1);
    launches[0]!({ launched: true });
    await first;
    await begun(2);
    launches[1]!({ launched: true });
    expect(await second).toEqual({ launched: true });
  });

  it('one that was cancelled while it waited does not begin', async () => {
    const { locks, launches, begun } = startLocks();
    const cancelled = new AbortController();
    const [first, second] = [locks.take(RUN, NEVER), locks.take(RUN, cancelled.signal)];
    await begun(1);
    cancelled.abort(new Error('cancelled'));
    launches[0]!({ launched: true });
    await first;
    await expect(second).rejects.toThrow('cancelled');
    expect(launches).toHaveLength(1);
  });
});
