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

interface HeadStart {
  giveUp: AbortController;
  /** Null when it failed; never rejects. */
  ended: Promise<LaunchResult | null>;
}

/** The launches of one host: one at a time for each run, with limits on concurrent launches and on launches per second. */
export class LaunchLocks {
  private readonly locks = new Map<string, Promise<unknown>>();
  private readonly headStarts = new Map<string, HeadStart>();
  /** Launches wait here and not in Temporal's queue, where finalization would wait behind them. */
  private readonly inPlace: LimitFunction;
  /** Resolves when one more launch may begin. */
  private readonly paced: () => Promise<void>;

  constructor(
    limits: LaunchLockLimits,
    private readonly launch: (run: RunRef, signal: AbortSignal) => Promise<LaunchResult>,
    private readonly failedEarly: (run: RunRef, cause: unknown) => void,
  ) {
    this.inPlace = pLimit(limits.maxConcurrentProvisions);
    this.paced = pThrottle({ limit: limits.maxStartsPerSec, interval: 1000, strict: true })(() => Promise.resolve());
  }

  /**
   * Launches a run for its driver, or goes on with what was begun early for it. A launch whose heartbeats did not arrive is
   * repeated while it still goes on here. The later one waits: two would destroy each other's workspace, and the run would
   * fail.
   */
  async take(run: RunRef, signal: AbortSignal): Promise<LaunchResult> {
    const early = this.headStarts.get(run.runId);
    if (early !== undefined) {
      const giveUp = (): void => early.giveUp.abort(signal.reason);
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      const ended = await early.ended;
      signal.removeEventListener('abort', giveUp);
      if (ended?.launched === true) return ended;
    }
    return this.locked(run, signal);
  }

  /**
   * Begins a launch before its activity arrives, so that the workspace is prepared meanwhile. Whatever happens, the
   * activity follows and finds the launch under way, done, or to be repeated.
   */
  begin(run: RunRef): void {
    if (this.locks.has(run.runId)) return;
    const giveUp = new AbortController();
    const ended = this.locked(run, giveUp.signal).catch((cause: unknown) => {
      if (!giveUp.signal.aborted) this.failedEarly(run, cause);
      return null;
    });
    this.headStarts.set(run.runId, { giveUp, ended });
    void ended.then(() => this.headStarts.delete(run.runId));
  }

  /** Cancels an early launch and waits until it has released the run's files. */
  async cease(run: RunRef): Promise<void> {
    const early = this.headStarts.get(run.runId);
    early?.giveUp.abort();
    await early?.ended;
  }

  private async locked(run: RunRef, signal: AbortSignal): Promise<LaunchResult> {
    const now = () =>
      this.inPlace(async () => {
        await this.paced();
        signal.throwIfAborted();
        return this.launch(run, signal);
      });
    const launched = (this.locks.get(run.runId) ?? Promise.resolve()).then(now, now);
    this.locks.set(run.runId, launched);
    try {
      return await launched;
    } finally {
      if (this.locks.get(run.runId) === launched) this.locks.delete(run.runId);
    }
  }
}
