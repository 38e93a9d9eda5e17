import { describe, expect, it } from '@jest/globals';
import { attemptsOf, waitAfter, type RetryPolicy } from './retry-policy.js';

/** Seconds between the attempts of a delivery that never succeeds. */
function waits(policy: RetryPolicy, random: number): number[] {
  return Array.from({ length: 20 }, (_, at) => waitAfter(policy, at + 1, random)).flatMap((wait) =>
    wait === null ? [] : [wait / 1000],
  );
}

describe('retries', () => {
  it('DI-024 standard: now, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 10 h, spread by a fifth', () => {
    const plain = [5, 300, 1800, 7200, 18_000, 36_000, 36_000];
    expect(waits({ strategy: 'standard' }, 0.5)).toEqual(plain);
    expect(waits({ strategy: 'standard' }, 0)).toEqual(plain.map((seconds) => seconds * 0.8));
    expect(attemptsOf({ strategy: 'standard' })).toBe(8);
    expect(waits({ strategy: 'standard', maxAttempts: 3 }, 0.5)).toEqual([5, 300]);
    expect(attemptsOf({ strategy: 'standard', maxAttempts: 12 })).toBe(8);
  });

  it('DI-024 exponential doubles up to its longest wait, fixed stays', () => {
    const exponential = { strategy: 'exponential', maxAttempts: 6, initialSeconds: 10, maxSeconds: 60 } as const;
    expect(waits(exponential, 0.5)).toEqual([10, 20, 40, 60, 60]);
    expect(waits({ strategy: 'fixed', maxAttempts: 4, initialSeconds: 30 }, 0.5)).toEqual([30, 30, 30]);
    expect(waits({ strategy: 'fixed', maxAttempts: 1 }, 0.5)).toEqual([]);
  });

  it('DI-024 a receiver can ask for a longer wait, of at most an hour, and never for a shorter one', () => {
    const policy = { strategy: 'fixed', initialSeconds: 30 } as const;
    expect(waitAfter(policy, 1, 0.5, 90)).toBe(90_000);
    expect(waitAfter(policy, 1, 0.5, 1)).toBe(30_000);
    expect(waitAfter(policy, 1, 0.5, 999_999)).toBe(3_600_000);
  });
});
