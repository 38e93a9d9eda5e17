import type { Budgets } from '../run/spec.js';

/** The caps of a revision or a policy that says nothing about budgets (docs/design/budgets.md). */
export const DEFAULT_BUDGETS: Readonly<Budgets> = Object.freeze({
  max_wall_clock_secs: 1800,
  max_tokens: 1_000_000,
  max_cost_usd: 2.5,
  max_tool_calls: 100,
});

export const BUDGET_CAPS = ['max_wall_clock_secs', 'max_tokens', 'max_cost_usd', 'max_tool_calls'] as const;
export type BudgetCap = (typeof BUDGET_CAPS)[number];

/**
 * The largest cap of each kind; nobody reaches it. A policy may state any number, but a larger one fits neither a timer nor a database
 * integer, and its run could not be stored.
 */
export const LARGEST_CAPS: Readonly<Record<BudgetCap, number>> = Object.freeze({
  max_wall_clock_secs: 31_536_000,
  max_tokens: 1_000_000_000_000,
  max_cost_usd: 1_000_000_000,
  max_tool_calls: 2_147_483_647,
});

/** What one layer asks for. A cap that is left out of a present object is no cap at that layer. */
export type BudgetLayer = { [cap in BudgetCap]?: number | null | undefined };

export interface BudgetLayers {
  /** Budgets of the agent revision; absent means the defaults. */
  revision: BudgetLayer | null | undefined;
  /** Budgets of the policy snapshot; absent means the defaults. */
  policy: BudgetLayer | null | undefined;
  /** Budgets of the request; absent asks for nothing. */
  run: BudgetLayer | null | undefined;
}

/** Per cap the smallest number that any layer states, within `LARGEST_CAPS`; null where none does. A wider request changes nothing. */
export function effectiveBudgets(layers: BudgetLayers): Budgets {
  const stated = [layers.revision ?? DEFAULT_BUDGETS, layers.policy ?? DEFAULT_BUDGETS, layers.run ?? {}];
  const smallest = (cap: BudgetCap): number | null => {
    const numbers = stated.map((layer) => layer[cap]).filter((value) => typeof value === 'number');
    if (numbers.length === 0) return null;
    return Math.max(-LARGEST_CAPS[cap], Math.min(LARGEST_CAPS[cap], ...numbers));
  };
  return {
    max_wall_clock_secs: smallest('max_wall_clock_secs'),
    max_tokens: smallest('max_tokens'),
    max_cost_usd: smallest('max_cost_usd'),
    max_tool_calls: smallest('max_tool_calls'),
  };
}
