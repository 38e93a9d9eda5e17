import { Injectable } from '@nestjs/common';

/** What is counted per run while it lasts. */
export type Countable = 'connections' | 'parked_permissions' | 'model_requests';

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Counts what each run is doing in this process (docs/design/runner.md). Only numbers are kept; entries vanish with their last
 * user, buckets once they are full again.
 */
@Injectable()
export class RunLimits {
  private readonly counts = new Map<string, number>();
  private readonly buckets = new Map<string, Bucket>();

  /** Takes one place, or null when `limit` are taken. The returned function gives it back; calling it twice does no harm. */
  enter(runId: string, what: Countable, limit: number): (() => void) | null {
    const key = `${what}:${runId}`;
    const taken = this.counts.get(key) ?? 0;
    if (taken >= limit) return null;
    this.counts.set(key, taken + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left === 0) this.counts.delete(key);
      else this.counts.set(key, left);
    };
  }

  /** How many all runs of this process have together. */
  total(what: Countable): number {
    let all = 0;
    for (const [key, count] of this.counts) if (key.startsWith(`${what}:`)) all += count;
    return all;
  }

  /** Takes one event from a bucket that holds `burst` and fills by `perSecond`; null, or milliseconds until there is one. */
  takeEvent(runId: string, perSecond: number, burst: number, now: number = performance.now()): number | null {
    const bucket = this.buckets.get(runId) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    this.buckets.set(runId, bucket);
    if (this.buckets.size > 4096) this.forgetFull(perSecond, burst, now);
    if (bucket.tokens < 1) return Math.ceil(((1 - bucket.tokens) / perSecond) * 1000);
    bucket.tokens -= 1;
    return null;
  }

  private forgetFull(perSecond: number, burst: number, now: number): void {
    for (const [runId, bucket] of this.buckets) {
      if (bucket.tokens + ((now - bucket.at) / 1000) * perSecond >= burst) this.buckets.delete(runId);
    }
  }
}
