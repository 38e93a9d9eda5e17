import type { EventData } from '../events/event-kinds.js';
import type { Budgets } from '../run/spec.js';
import type { BudgetCap } from './effective-budgets.js';
import { formatUsd, usdToMicros } from './money.js';

/** What a run has spent on models, as far as it is on the record. */
export interface BudgetSpend {
  /** Input, output, cache read and cache write tokens together. */
  tokens: number;
  costMicros: number;
}

/** The cost cap in micro-dollars; null means no cap. */
export function costCapMicros(budgets: Budgets): number | null {
  return budgets.max_cost_usd === null ? null : usdToMicros(budgets.max_cost_usd);
}

function text(cap: BudgetCap, amount: number): string {
  return cap === 'max_cost_usd' ? formatUsd(amount) : String(amount);
}

/** Data of `budget.exceeded` and `budget.warning`: the cap by name, limit and spent as texts (docs/design/events.md). */
export function budgetEventData(cap: BudgetCap, limit: number, spent: number): EventData['budget.exceeded'] {
  return { budget: cap, limit: text(cap, limit), spent: text(cap, spent) };
}

/** The status reason of a run that a cap ended (docs/design/runs.md). */
export function exceededReason(cap: BudgetCap): string {
  switch (cap) {
    case 'max_wall_clock_secs':
      return 'wall-clock budget exceeded';
    case 'max_tool_calls':
      return 'tool-call budget exceeded';
    case 'max_cost_usd':
    case 'max_tokens':
      return `${cap} budget exceeded`;
  }
}

/** Tokens and cost stop a run when the recorded spend reaches the cap; the first such cap, or null (docs/design/model-gateway.md). */
export function exhaustedCap(
  budgets: Budgets,
  spend: BudgetSpend,
): { cap: 'max_cost_usd' | 'max_tokens'; limit: number; spent: number } | null {
  const costCap = costCapMicros(budgets);
  if (costCap !== null && spend.costMicros >= costCap) {
    return { cap: 'max_cost_usd', limit: costCap, spent: spend.costMicros };
  }
  const tokenCap = budgets.max_tokens;
  if (tokenCap !== null && spend.tokens >= tokenCap) return { cap: 'max_tokens', limit: tokenCap, spent: spend.tokens };
  return null;
}
