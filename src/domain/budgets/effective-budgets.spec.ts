import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUDGET_CAPS, DEFAULT_BUDGETS, effectiveBudgets, LARGEST_CAPS } from './effective-budgets.js';
import type { BudgetLayer } from './effective-budgets.js';

const cap = fc.option(fc.integer({ min: 0, max: 1_000_000 }), { nil: null });
const layer: fc.Arbitrary<BudgetLayer> = fc.record(
  { max_wall_clock_secs: cap, max_tokens: cap, max_cost_usd: cap, max_tool_calls: cap },
  { requiredKeys: [] },
);

describe('effective budgets', () => {
  it('CP-012 take the defaults where revision and policy say nothing', () => {
    expect(effectiveBudgets({ revision: null, policy: undefined, run: undefined })).toEqual(DEFAULT_BUDGETS);
  });

  it('CP-012 CP-085 treat a cap left out of a present object as no cap of that layer', () => {
    expect(effectiveBudgets({ revision: {}, policy: { max_tokens: 7 }, run: { max_tool_calls: 3 } })).toEqual({
      max_wall_clock_secs: null,
      max_tokens: 7,
      max_cost_usd: null,
      max_tool_calls: 3,
    });
  });

  it.each([1e300, Number.MAX_SAFE_INTEGER, -1e300])('hold a cap of %d where a timer and the database can', (wish) => {
    const layer = { max_wall_clock_secs: wish, max_tokens: wish, max_cost_usd: wish, max_tool_calls: wish };
    const effective = effectiveBudgets({ revision: {}, policy: layer, run: null });
    for (const name of BUDGET_CAPS) expect(effective[name]).toBe(Math.sign(wish) * LARGEST_CAPS[name]);
  });

  it('CP-074 CP-075 CP-076 are per cap the smallest number stated, and a request never widens', () => {
    fc.assert(
      fc.property(layer, layer, fc.option(layer, { nil: null }), (revision, policy, run) => {
        const effective = effectiveBudgets({ revision, policy, run });
        for (const name of BUDGET_CAPS) {
          const stated = [revision[name], policy[name], run?.[name]].filter((value) => typeof value === 'number');
          expect(effective[name]).toBe(stated.length === 0 ? null : Math.min(...stated));
        }
      }),
    );
  });
});
