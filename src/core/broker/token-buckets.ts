import { LRUCache } from 'lru-cache';

/** One limit on one key: so many in a minute, refilled evenly. */
export interface Charge {
  key: string;
  perMin: number;
}

/** Keys remembered; the least recently used is forgotten first, and is full again by then. */
const MAX_KEYS = 20_000;
const MINUTE_MS = 60_000;

interface Bucket {
  left: number;
  at: number;
}

/** The limits of this process: token buckets that are all asked before any is charged. Times in milliseconds of `now`. */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_KEYS });

  constructor(private readonly now: () => number) {}

  /** @returns null when all were charged, else the first that refused and after how many milliseconds it would not */
  take(charges: readonly Charge[]): { key: string; waitMs: number } | null {
    const now = this.now();
    for (const { key, perMin } of charges) {
      const left = this.leftOf(key, perMin, now);
      if (left < 1) return { key, waitMs: Math.ceil(((1 - left) * MINUTE_MS) / perMin) };
    }
    for (const { key, perMin } of charges) this.buckets.set(key, { left: this.leftOf(key, perMin, now) - 1, at: now });
    return null;
  }

  /** Takes back a charge after another limit refused the call. */
  refund(charges: readonly Charge[]): void {
    for (const { key, perMin } of charges) {
      const bucket = this.buckets.get(key);
      if (bucket !== undefined) bucket.left = Math.min(perMin, bucket.left + 1);
    }
  }

  private leftOf(key: string, perMin: number, now: number): number {
    const bucket = this.buckets.get(key);
    if (bucket === undefined) return perMin;
    return Math.min(perMin, bucket.left + ((now - bucket.at) * perMin) / MINUTE_MS);
  }
}
