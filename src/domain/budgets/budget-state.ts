import type { JsonObject } from '../json.js';
import type { Budgets } from '../run/spec.js';
import type { BudgetCap } from './effective-budgets.js';
import { formatUsd, usdToMicros } from './money.js';

/** What a run has used of the caps that are counted in the database. */
export interface BudgetSpend {
  toolCalls: number;
  /** Input, output, cache read and cache write tokens together. */
  tokens: number;
  costMicros: number;
}

/** The cost cap in micro-dollars; null is no cap. */
export function costCapMicros(budgets: Budgets): number | null {
  return budgets.max_cost_usd === null ? null : usdToMicros(budgets.max_cost_usd);
}

/** Share of a cap at which `budget.warning` is written (06-gate §7). */
const WARNING_SHARE = 0.8;

function capOf(budgets: Budgets, cap: BudgetCap): number | null {
  return cap === 'max_cost_usd' ? costCapMicros(budgets) : budgets[cap];
}

function spentOf(spend: BudgetSpend, cap: BudgetCap): number {
  switch (cap) {
    case 'max_cost_usd':
      return spend.costMicros;
    case 'max_tokens':
      return spend.tokens;
    case 'max_tool_calls':
      return spend.toolCalls;
    case 'max_wall_clock_secs':
      return 0;
  }
}

function text(cap: BudgetCap, amount: number): string {
  return cap === 'max_cost_usd' ? formatUsd(amount) : String(amount);
}

/** Data of `budget.exceeded` and `budget.warning`: the cap by name, limit and spent as texts (chapter 10 §13). */
export function budgetEventData(cap: BudgetCap, limit: number, spent: number): JsonObject {
  return { budget: cap, limit: text(cap, limit), spent: text(cap, spent) };
}

/** The caps whose 80 % mark lies above `before` and at or below `after`, with the data of their warning. */
export function crossedWarnings(budgets: Budgets, before: BudgetSpend, after: BudgetSpend): JsonObject[] {
  const crossed: JsonObject[] = [];
  for (const cap of ['max_tokens', 'max_cost_usd', 'max_tool_calls'] as const) {
    const limit = capOf(budgets, cap);
    if (limit === null || limit <= 0) continue;
    const mark = limit * WARNING_SHARE;
    if (spentOf(before, cap) < mark && spentOf(after, cap) >= mark) {
      crossed.push(budgetEventData(cap, limit, spentOf(after, cap)));
    }
  }
  return crossed;
}

/** Tokens and cost stop a run when the recorded spend reaches the cap; the first such cap, or null (chapter 20 §15.2). */
export function exhaustedCap(
  budgets: Budgets,
  spend: BudgetSpend,
): { cap: 'max_cost_usd' | 'max_tokens'; limit: number; spent: number } | null {
  for (const cap of ['max_cost_usd', 'max_tokens'] as const) {
    const limit = capOf(budgets, cap);
    if (limit !== null && spentOf(spend, cap) >= limit) return { cap, limit, spent: spentOf(spend, cap) };
  }
  return null;
}
