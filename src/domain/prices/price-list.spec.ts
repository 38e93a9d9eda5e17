import { describe, expect, it } from '@jest/globals';
import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { PriceList } from './price-list.js';
import { parsePriceOverrides } from './price-overrides.js';

const list = new PriceList();

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000, cacheReadTokens: 0, cacheWriteTokens: 0 };

describe('prices', () => {
  it('CP-074 are those of the provider, in micro-dollars', () => {
    expect(list.costOf('claude-haiku-4-5', million)).toBe(6_000_000);
    expect(list.costOf('claude-opus-4-8', million)).toBe(30_000_000);
    expect(list.priceOf('claude-haiku-4-5-20251001')?.costOf(million)).toBe(6_000_000);
  });

  it('CP-023 price cached tokens apart, the hour-long cache dearer', () => {
    const cached = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1_000_000, cacheWriteTokens: 1_000_000 };
    expect(list.costOf('claude-haiku-4-5', cached)).toBe(100_000 + 1_250_000);
    expect(list.costOf('claude-haiku-4-5', { ...cached, cacheWriteOneHourTokens: 1_000_000 })).toBe(
      100_000 + 2_000_000,
    );
  });

  it('CP-074 round a fraction of a micro-dollar up and an exact one not at all', () => {
    expect(list.costOf('claude-haiku-4-5', { ...million, inputTokens: 0, outputTokens: 1 })).toBe(5);
    expect(
      list.costOf('claude-haiku-4-5', { inputTokens: 0, outputTokens: 0, cacheReadTokens: 1, cacheWriteTokens: 0 }),
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
          const ours = list.costOf(model, { inputTokens: i, outputTokens: o, cacheReadTokens: r, cacheWriteTokens: w });
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
    expect(list.priceOf('no-such-model')).toBeNull();
    expect(list.costOf('no-such-model', million)).toBeNull();
  });

  it('CP-074 of the operator win over the package, for the exact name', () => {
    const own = new PriceList(
      parsePriceOverrides(
        'models: {claude-haiku-4-5: {input_mtok: 3, output_mtok: 4}, house: {input_mtok: 0, output_mtok: 0.5}}',
      ),
    );
    expect(own.costOf('claude-haiku-4-5', million)).toBe(7_000_000);
    expect(own.costOf('house', million)).toBe(500_000);
    expect(own.costOf('claude-opus-4-8', million)).toBe(30_000_000);
    expect(own.costOf('claude-haiku-4-5-20251001', million)).toBe(6_000_000);
    expect(own.priceOf('House')).toBeNull();
  });
});
