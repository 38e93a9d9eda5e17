import { Injectable } from '@nestjs/common';
import { Database } from '../../../core/record/database.js';
import type { GateCall } from '../../../core/gate/gate.js';
import { requestFinalization } from '../../../core/finalization/finalization-requests.js';
import { budgetEventData, exceededReason } from '../../../domain/budgets/budget-state.js';
import type { BudgetCap } from '../../../domain/budgets/effective-budgets.js';
import type { NewEvent } from '../../../domain/events/event-kinds.js';

/** A cap on spending and what has been spent of it: tokens, or micro-dollars. */
export interface ExhaustedCap {
  cap: 'max_tokens' | 'max_cost_usd';
  limit: number;
  spent: number;
}

interface StoppedRun {
  organizationId: string;
  runId: string;
}

/**
 * Ends runs that exceeded a cap: `budget.exceeded` once, by whoever requests the finalization, and a wind-down with quiesce
 * (docs/design/budgets.md).
 */
@Injectable()
export class BudgetStops {
  constructor(private readonly database: Database) {}

  /** The denial itself is on the record already; `toolCalls` is how many calls there were with it. */
  async stopForToolCalls(call: GateCall, toolCalls: number): Promise<void> {
    await this.stop(call, { cap: 'max_tool_calls', limit: call.maxToolCalls ?? 0, spent: toolCalls });
  }

  async stopForSpend(run: StoppedRun, exhausted: ExhaustedCap): Promise<void> {
    await this.stop(run, exhausted);
  }

  private async stop(
    run: StoppedRun,
    { cap, limit, spent }: { cap: BudgetCap; limit: number; spent: number },
  ): Promise<void> {
    const exceeded: NewEvent = { actor: 'system', type: 'budget.exceeded', data: budgetEventData(cap, limit, spent) };
    await this.database.withTenant(run.organizationId, (tx) =>
      requestFinalization(
        tx,
        run.runId,
        { outcome: 'budget_exceeded', reason: exceededReason(cap), wantsQuiesce: true },
        [exceeded],
      ),
    );
  }
}
