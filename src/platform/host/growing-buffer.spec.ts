import { describe, expect, it } from '@jest/globals';
import { GrowingBuffer } from './growing-buffer.js';

describe('bytes that come in pieces', () => {
  it('are what a whole would be, whatever the pieces', () => {
    const whole = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 256));
    const buffer = new GrowingBuffer();
    for (const size of [1, 3, 5000, whole.length]) {
      for (let at = 0; at < whole.length; at += size) buffer.append(whole.subarray(at, at + size));
      expect(buffer.length).toBe(whole.length);
      expect(buffer.view().equals(whole)).toBe(true);
      buffer.clear();
      expect(buffer.view()).toHaveLength(0);
    }
  });

  it('take no more than twice their room, in pieces of one byte too', () => {
    const buffer = new GrowingBuffer();
    for (let at = 0; at < 1_000_000; at += 1) buffer.append(Buffer.from([at % 256]));
    expect(buffer.view().buffer.byteLength).toBeLessThanOrEqual(2_097_152);
  });
});
