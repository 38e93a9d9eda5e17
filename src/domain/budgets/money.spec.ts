import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PriceList } from '../prices/price-list.js';
import { formatUsd, microsToUsd, MICROS_PER_USD, usdToMicros } from './money.js';

/** Generated cases per property; the nightly campaign runs 100,000. */
const CASES = Number(process.env['SANDGATE_FUZZ_CASES'] ?? 2000);
const LONG = 3_600_000;

/** A trillion dollars, far beyond any budget. */
const micros = fc.integer({ min: -1e18, max: 1e18 }).filter(Number.isSafeInteger);
const list = new PriceList();
const MODELS = ['claude-sonnet-4-5', 'claude-haiku-4-5', 'gpt-5', 'gpt-4o-mini', 'no-such-model'];
const tokens = fc.oneof(fc.nat(2_000_000), fc.constantFrom(0, 1, 199_999, 200_000, 200_001));
const usage = fc
  .record({ inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens })
  .chain((base) =>
    fc.nat(base.cacheWriteTokens).map((cacheWriteOneHourTokens) => ({ ...base, cacheWriteOneHourTokens })),
  );

describe('money', () => {
  it.each([
    [0, '0'],
    [1, '0.000001'],
    [1_000_000, '1'],
    [2_500_000, '2.5'],
    [-1_000_001, '-1.000001'],
    [123_456_789_012, '123456.789012'],
  ])('writes %d micro-dollars as %s', (amount, text) => {
    expect(formatUsd(amount)).toBe(text);
  });

  it(
    'proof 28: every amount comes back from the wire as it went',
    () => {
      fc.assert(
        fc.property(micros, (amount) => {
          // The wire holds a double: beyond two thousand million dollars it may be half a micro-dollar off.
          if (Math.abs(amount) < 2 ** 51) expect(usdToMicros(microsToUsd(amount))).toBe(amount);
          expect(usdToMicros(Number(formatUsd(amount)))).toBe(usdToMicros(microsToUsd(amount)));
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: what is written has no exponent, no trailing zero and the exact digits',
    () => {
      fc.assert(
        fc.property(micros, (amount) => {
          const text = formatUsd(amount);
          expect(text).toMatch(/^-?\d+(?:\.\d{0,5}[1-9])?$/);
          const [whole, fraction = ''] = text.replace('-', '').split('.');
          expect(BigInt(`${whole}${fraction.padEnd(6, '0')}`)).toBe(BigInt(Math.abs(amount)));
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: dollars of any double become an integer, and order is kept',
    () => {
      fc.assert(
        fc.property(
          fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
          fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
          (a, b) => {
            expect(Number.isInteger(usdToMicros(a))).toBe(true);
            if (a <= b) expect(usdToMicros(a)).toBeLessThanOrEqual(usdToMicros(b));
            expect(Math.abs(usdToMicros(a) - a * MICROS_PER_USD)).toBeLessThanOrEqual(1);
          },
        ),
        { numRuns: CASES },
      );
    },
    LONG,
  );

  it(
    'proof 28: a price is a whole number of micro-dollars, never negative, and more tokens never cost less',
    () => {
      fc.assert(
        fc.property(fc.constantFrom(...MODELS), usage, fc.nat(100_000), (model, used, more) => {
          const price = list.priceOf(model);
          if (price === null) {
            expect(model).toBe('no-such-model');
            return;
          }
          const cost = price.costOf(used);
          expect(Number.isSafeInteger(cost) && cost >= 0).toBe(true);
          for (const member of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const) {
            expect(price.costOf({ ...used, [member]: used[member] + more })).toBeGreaterThanOrEqual(cost);
          }
        }),
        { numRuns: CASES },
      );
    },
    LONG,
  );
});
