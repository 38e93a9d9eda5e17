import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/db/database.js';
import type { GateCall } from '../../../platform/db/gate.js';
import { recordIntent } from '../../../platform/db/intents.js';
import { budgetEventData } from '../../../domain/budgets/budget-state.js';
import type { BudgetCap } from '../../../domain/budgets/effective-budgets.js';
import type { NewEvent } from '../../../domain/events/event-kinds.js';

/** Ends runs that exceeded a cap: `budget.exceeded` once, by whoever records the intent, and a wind-down with quiesce (chapter 10 §15). */
@Injectable()
export class BudgetStops {
  constructor(private readonly database: Database) {}

  /** The tool-call denial itself, with its `budget.exceeded`, is on the record already. */
  async stopForToolCalls(call: GateCall): Promise<void> {
    await this.stop(call.organizationId, call.sessionId, 'max_tool_calls', []);
  }

  async stopForSpend(
    run: { organizationId: string; sessionId: string },
    exhausted: { cap: 'max_tokens' | 'max_cost_usd'; limit: number; spent: number },
  ): Promise<void> {
    const data = budgetEventData(exhausted.cap, exhausted.limit, exhausted.spent);
    await this.stop(run.organizationId, run.sessionId, exhausted.cap, [{ actor: 'system', type: 'budget.exceeded', data }]);
  }

  private async stop(organizationId: string, sessionId: string, cap: BudgetCap, first: NewEvent[]): Promise<void> {
    await this.database.withTenant(organizationId, (tx) =>
      recordIntent(tx, sessionId, { outcome: 'budget_exceeded', reason: `${cap} exceeded`, wantsQuiesce: true }, first),
    );
  }
}
