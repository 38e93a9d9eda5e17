import { LRUCache } from 'lru-cache';

export interface BreakerSettings {
  /** Consecutive failures that open it; 0: never. */
  threshold: number;
  /** How long it stays open before one call tries; 0: never opens. */
  openSecs: number;
}

/** A probe whose end was never reported (its process died) is forgotten after this time, which is longer than any call. */
export const PROBE_SECS = 120;
/** Breakers with failures that are remembered; the one that was used longest ago is forgotten first. */
const MAX_KEYS = 20_000;

interface Breaker {
  failures: number;
  openedAt: number | null;
  probingSince: number | null;
}

/** The breakers of this process, one per key; those that never failed take no space. */
export class CircuitBreakers {
  private readonly breakers = new LRUCache<string, Breaker>({ max: MAX_KEYS });

  constructor(
    private readonly settings: BreakerSettings,
    private readonly now: () => number,
  ) {}

  get enabled(): boolean {
    return this.settings.threshold > 0 && this.settings.openSecs > 0;
  }

  /** Lets a call in, as the probe where one is due; or answers how many milliseconds to wait. */
  enter(key: string): { probe: boolean } | { waitMs: number } {
    const breaker = this.breakers.get(key);
    if (breaker === undefined || breaker.openedAt === null) return { probe: false };
    const waitMs =
      this.left(breaker.openedAt, this.settings.openSecs) || this.left(breaker.probingSince ?? -Infinity, PROBE_SECS);
    if (waitMs > 0) return { waitMs };
    breaker.probingSince = this.now();
    return { probe: true };
  }

  /** @param failed null: the call says nothing about the host, and another call may probe */
  leave(key: string, failed: boolean | null, probe: boolean): void {
    const breaker = this.breakers.get(key) ?? { failures: 0, openedAt: null, probingSince: null };
    if (probe) breaker.probingSince = null;
    if (failed === null) return;
    if (!failed) {
      this.breakers.delete(key);
      return;
    }
    breaker.failures += 1;
    if (probe || (breaker.openedAt === null && breaker.failures >= this.settings.threshold))
      breaker.openedAt = this.now();
    this.breakers.set(key, breaker);
  }

  private left(since: number, secs: number): number {
    return Math.max(0, since + secs * 1000 - this.now());
  }
}
