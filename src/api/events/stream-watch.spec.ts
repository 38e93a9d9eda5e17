import { describe, expect, it } from '@jest/globals';
import { askedEveryMs } from './stream-watch.js';

describe('who follows a stream', () => {
  it.each([
    [1, 1000],
    [5, 5000],
    [60, 60_000],
    [61, 60_000],
    [31_536_000, 60_000],
  ])('CP-283 is asked about every minute at least: a configured interval of %d s is %d ms', (secs, everyMs) => {
    expect(askedEveryMs(secs)).toBe(everyMs);
  });
});
