import { describe, expect, it } from '@jest/globals';
import { LaunchLocks, type LaunchResult } from './launch-locks.js';
import type { RunRef } from './run-activities.js';

const RUN: RunRef = { organizationId: 'org', runId: 'run' };
const LIMITS = { maxConcurrentProvisions: 4, maxStartsPerSec: 100 };
const { signal: NEVER } = new AbortController();

/** Locks whose launches end when the test says so, or with the reason of their signal. */
function startLocks() {
  const launches: { resolve(result: LaunchResult): void; reject(cause: Error): void }[] = [];
  const failed: unknown[] = [];
  const locks = new LaunchLocks(
    LIMITS,
    (_run, signal) =>
      new Promise<LaunchResult>((resolve, reject) => {
        launches.push({ resolve, reject });
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      }),
    (_run, cause) => failed.push(cause),
  );
  const begun = async (count: number): Promise<void> => {
    while (launches.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return { locks, launches, failed, begun };
}

describe('the launches of a host', () => {
  it('a launch that was begun early is the one that its activity waits for', async () => {
    const { locks, launches, begun } = startLocks();
    locks.begin(RUN);
    locks.begin(RUN);
    const taken = locks.take(RUN, NEVER);
    await begun(1);
    launches[0]!.resolve({ launched: true });
    expect(await taken).toEqual({ launched: true });
    expect(launches).toHaveLength(1);
  });

  it('is done again by the activity when it failed early, and the failure is told', async () => {
    const { locks, launches, failed, begun } = startLocks();
    locks.begin(RUN);
    const taken = locks.take(RUN, NEVER);
    await begun(1);
    launches[0]!.reject(new Error('early'));
    await begun(2);
    launches[1]!.resolve({ launched: true });
    expect(await taken).toEqual({ launched: true });
    expect(failed).toEqual([new Error('early')]);
  });

  it('ends when the activity that took it over is cancelled', async () => {
    const { locks, failed, begun } = startLocks();
    const cancelled = new AbortController();
    locks.begin(RUN);
    const taken = locks.take(RUN, cancelled.signal);
    await begun(1);
    cancelled.abort(new Error('cancelled'));
    await expect(taken).rejects.toThrow('cancelled');
    expect(failed).toEqual([]);
  });

  it('has let go of the files of a run before its end goes on, also when no activity ever came for it', async () => {
    const { locks, launches, failed, begun } = startLocks();
    locks.begin(RUN);
    await begun(1);
    await locks.cease(RUN);
    expect(launches).toHaveLength(1);
    expect(failed).toEqual([]);
    await locks.cease(RUN);
  });

  it('one that is repeated while it goes on waits for the first', async () => {
    const { locks, launches, begun } = startLocks();
    const [first, second] = [locks.take(RUN, NEVER), locks.take(RUN, NEVER)];
    await begun(1);
    expect(launches).toHaveLength(1);
    launches[0]!.resolve({ launched: true });
    await first;
    await begun(2);
    launches[1]!.resolve({ launched: true });
    expect(await second).toEqual({ launched: true });
  });
});
