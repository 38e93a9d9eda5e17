import { describe, expect, it } from '@jest/globals';
import { waitAfter } from './retry-plan.js';

const WAITS = [5_000, 30_000, 180_000, 900_000, 3_600_000];

describe('waitAfter', () => {
  it('CP-297 six attempts in all, 5 s to 1 h apart, each ± 10 %', () => {
    const between = [1, 2, 3, 4, 5, 6].map((attempt) => [
      waitAfter(WAITS, attempt, 0),
      waitAfter(WAITS, attempt, 0.5),
      waitAfter(WAITS, attempt, 1),
    ]);
    expect(between).toEqual([
      [4_500, 5_000, 5_500],
      [27_000, 30_000, 33_000],
      [162_000, 180_000, 198_000],
      [810_000, 900_000, 990_000],
      [3_240_000, 3_600_000, 3_960_000],
      [null, null, null],
    ]);
  });
});
