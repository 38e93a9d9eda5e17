import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Budgets } from '../run/spec.js';
import { crossedWarnings, exhaustedCap } from './budget-state.js';
import { formatUsd, microsToUsd, usdToMicros } from './money.js';

const budgets: Budgets = { max_wall_clock_secs: 10, max_tokens: 1000, max_cost_usd: 0.5, max_tool_calls: 10 };
const spent = (toolCalls: number, tokens: number, costMicros: number) => ({ toolCalls, tokens, costMicros });

describe('budget state', () => {
  it('CP-074 warns once when a cap passes 80 percent', () => {
    expect(crossedWarnings(budgets, spent(0, 799, 0), spent(0, 800, 399_999))).toEqual([
      { budget: 'max_tokens', limit: '1000', spent: '800' },
    ]);
    expect(crossedWarnings(budgets, spent(0, 800, 0), spent(0, 900, 400_000))).toEqual([
      { budget: 'max_cost_usd', limit: '0.5', spent: '0.4' },
    ]);
    expect(crossedWarnings(budgets, spent(7, 900, 400_000), spent(8, 901, 450_000))).toEqual([
      { budget: 'max_tool_calls', limit: '10', spent: '8' },
    ]);
  });

  it('CP-074 is exhausted at the cap, cost before tokens', () => {
    expect(exhaustedCap(budgets, spent(0, 999, 499_999))).toBeNull();
    expect(exhaustedCap(budgets, spent(0, 1000, 0))).toEqual({ cap: 'max_tokens', limit: 1000, spent: 1000 });
    expect(exhaustedCap(budgets, spent(0, 1000, 500_000))?.cap).toBe('max_cost_usd');
    expect(exhaustedCap({ ...budgets, max_tokens: null, max_cost_usd: null }, spent(0, 1e9, 1e9))).toBeNull();
  });

  it('CP-074 money survives the wire and prints without exponents', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000_000 }), (micros) => {
        expect(usdToMicros(microsToUsd(micros))).toBe(micros);
        expect(usdToMicros(Number(formatUsd(micros)))).toBe(micros);
        expect(formatUsd(micros)).toMatch(/^\d+(\.\d{1,6})?$/);
      }),
    );
    expect(formatUsd(1)).toBe('0.000001');
    expect(formatUsd(-2_500_000)).toBe('-2.5');
  });
});
