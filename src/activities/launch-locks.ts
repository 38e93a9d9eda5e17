import pLimit, { type LimitFunction } from 'p-limit';
import pThrottle from 'p-throttle';
import type { RunRef } from './run-activities.js';

export interface LaunchLockLimits {
  /** Launches that go on at once on this host. */
  maxConcurrentProvisions: number;
  /** Launches that begin on this host in any second. */
  maxStartsPerSec: number;
}

export interface LaunchResult {
  launched: boolean;
}

/** Does a part of a launch in one of the host's places for launches. */
export type InPlace = <T>(part: () => Promise<T>) => Promise<T>;

/** The launches of one host: one at a time for each run, with limits on concurrent launches and on launches per second. */
export class LaunchLocks {
  private readonly locks = new Map<string, Promise<unknown>>();
  /** Launches wait here and not in Temporal's queue, where finalization would wait behind them. */
  private readonly inPlace: LimitFunction;
  /** Resolves when one more launch may begin. */
  private readonly paced: () => Promise<void>;

  constructor(
    limits: LaunchLockLimits,
    private readonly launch: (run: RunRef, signal: AbortSignal, inPlace: InPlace) => Promise<LaunchResult>,
  ) {
    this.inPlace = pLimit(limits.maxConcurrentProvisions);
    this.paced = pThrottle({ limit: limits.maxStartsPerSec, interval: 1000, strict: true })(() => Promise.resolve());
  }

  /**
   * Launches a run. A launch whose heartbeats did not arrive is repeated while it still goes on here. The later one waits: two
   * would destroy each other's workspace, and the run would fail. What a launch does outside of a place holds up no other launch.
   */
  async take(run: RunRef, signal: AbortSignal): Promise<LaunchResult> {
    const inPlace: InPlace = (part) =>
      this.inPlace(async () => {
        await this.paced();
        signal.throwIfAborted();
        return part();
      });
    const now = async () => {
      signal.throwIfAborted();
      return this.launch(run, signal, inPlace);
    };
    const launched = (this.locks.get(run.runId) ?? Promise.resolve()).then(now, now);
    this.locks.set(run.runId, launched);
    try {
      return await launched;
    } finally {
      if (this.locks.get(run.runId) === launched) this.locks.delete(run.runId);
    }
  }
}
