import { describe, expect, it } from '@jest/globals';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
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

  it('CP-074 agree with the package for flat prices and for stepped ones', () => {
    const tokens = fc.integer({ min: 0, max: 2_000_000 });
    fc.assert(
      fc.property(
        fc.constantFrom('claude-haiku-4-5', 'claude-opus-4-8', 'claude-sonnet-4-5'),
        tokens,
        tokens,
        tokens,
        tokens,
        (model, i, o, r, w) => {
          const ours = costOf(model, { inputTokens: i, outputTokens: o, cacheReadTokens: r, cacheWriteTokens: w });
          const theirs = calcPrice(
            { input_tokens: i + r + w, output_tokens: o, cache_read_tokens: r, cache_write_tokens: w },
            model,
            { providerId: 'anthropic' },
          );
          expect(Math.abs((ours ?? 0) - (theirs?.total_price ?? 0) * 1e6)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('CP-080 an unknown model is unpriced', () => {
    expect(priceOf('no-such-model')).toBeNull();
    expect(costOf('no-such-model', million)).toBeNull();
  });
});
