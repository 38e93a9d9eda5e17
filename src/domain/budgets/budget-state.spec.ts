import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Budgets } from '../run/spec.js';
import { budgetEventData, exceededReason, exhaustedCap } from './budget-state.js';
import { BUDGET_CAPS } from './effective-budgets.js';
import { formatUsd, microsToUsd, usdToMicros } from './money.js';

const budgets: Budgets = { max_wall_clock_secs: 10, max_tokens: 1000, max_cost_usd: 0.5, max_tool_calls: 10 };
const spent = (tokens: number, costMicros: number) => ({ tokens, costMicros });

describe('budget state', () => {
  it('CP-074 CP-075 CP-076 names the cap that ended a run in the words that clients look for', () => {
    expect(BUDGET_CAPS.map(exceededReason)).toEqual([
      'wall-clock budget exceeded',
      'max_tokens budget exceeded',
      'max_cost_usd budget exceeded',
      'tool-call budget exceeded',
    ]);
    expect(budgetEventData('max_cost_usd', 500_000, 400_001)).toEqual({
      budget: 'max_cost_usd',
      limit: '0.5',
      spent: '0.400001',
    });
  });

  it('CP-074 is exhausted at the cap, cost before tokens', () => {
    expect(exhaustedCap(budgets, spent(999, 499_999))).toBeNull();
    expect(exhaustedCap(budgets, spent(1000, 0))).toEqual({ cap: 'max_tokens', limit: 1000, spent: 1000 });
    expect(exhaustedCap({ ...budgets, max_tokens: 0, max_cost_usd: null }, spent(0, 0))?.cap).toBe('max_tokens');
    expect(exhaustedCap(budgets, spent(1000, 500_000))?.cap).toBe('max_cost_usd');
    expect(exhaustedCap({ ...budgets, max_tokens: null, max_cost_usd: null }, spent(1e9, 1e9))).toBeNull();
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
