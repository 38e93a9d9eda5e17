import { describe, expect, it } from '@jest/globals';
import { costOf, priceOf } from './price-of.js';

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe('prices', () => {
  it('CP-074 are those of the provider, in micro-dollars', () => {
    expect(costOf('claude-haiku-4-5', million)).toBe(6_000_000);
    expect(costOf('claude-opus-4-8', million)).toBe(30_000_000);
    expect(priceOf('claude-haiku-4-5-20251001')?.costOf(million)).toBe(6_000_000);
  });

  it('CP-023 price cached tokens apart, the hour-long cache dearer', () => {
    const cached = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
    expect(costOf('claude-haiku-4-5', cached)).toBe(100_000 + 1_250_000);
    expect(costOf('claude-haiku-4-5', { ...cached, cacheWriteOneHourTokens: 1_000_000 })).toBe(100_000 + 2_000_000);
  });

  it('CP-074 round a fraction of a micro-dollar up and an exact one not at all', () => {
    expect(costOf('claude-haiku-4-5', { ...million, inputTokens: 0, outputTokens: 1 })).toBe(5);
    expect(
      costOf('claude-haiku-4-5', { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1, cacheWriteTokens: 0 }),
    ).toBe(1);
  });

  it('CP-080 an unknown model is unpriced', () => {
    expect(priceOf('no-such-model')).toBeNull();
    expect(costOf('no-such-model', million)).toBeNull();
  });
});
