import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { NewEvent } from '../../../domain/events/event-kinds.js';
import { Database } from '../../../core/record/database.js';
import { requestFinalization } from '../../../core/finalization/finalization-requests.js';
import type { ReserveAnswer } from '../../../core/budgets/reserve.js';
import type { CarriedToolResult } from '../../../platform/llm/model-dialect.js';
import type { RunnerCaller } from '../auth/runner-caller.js';

/** A result that a harness made up for an unknown tool or invalid input is this short at most (docs/design/model-gateway.md). */
const MAX_REFUSED_BYTES = 2048;
/** How many such results a run may have; the next one fails it. */
export const MAX_REFUSED_RESULTS = 5;
const MAX_RUNS = 2000;

/**
 * The cross-check: a model request must not carry the result of a tool use that the gate never decided.
 * A conversation repeats its results in every request; those found decided once are not asked about again.
 */
@Injectable()
export class CarriedResults {
  private readonly decided = new LRUCache<string, Set<string>>({ max: MAX_RUNS });

  constructor(private readonly database: Database) {}

  /** The results that still need a look, apart by whether the harness refused the use itself. */
  unknown(runId: string, results: CarriedToolResult[]): { resultIds: string[]; refusedResultIds: string[] } {
    const decided = this.decided.get(runId);
    const open = results.filter((result) => decided?.has(result.toolUseId) !== true);
    const isRefusal = (result: CarriedToolResult): boolean => result.isError && result.bytes <= MAX_REFUSED_BYTES;
    return {
      resultIds: [...new Set(open.filter((result) => !isRefusal(result)).map((result) => result.toolUseId))],
      refusedResultIds: [...new Set(open.filter(isRefusal).map((result) => result.toolUseId))],
    };
  }

  /** Remembers what an admitted request carried; a refused use stays open, because a longer result may yet follow. */
  admit(runId: string, asked: { resultIds: string[] }): void {
    if (asked.resultIds.length === 0) return;
    const decided = this.decided.get(runId) ?? new Set();
    for (const id of asked.resultIds) decided.add(id);
    this.decided.set(runId, decided);
  }

  /** Notes uses that the harness answered itself, each once; of a request that fails the run, only as many as the reason needs. */
  async noteRefused(caller: RunnerCaller, answer: ReserveAnswer): Promise<void> {
    if (answer.refused.length === 0) return;
    const events: NewEvent[] = answer.refused.slice(0, MAX_REFUSED_RESULTS + 1).map((id) => ({
      actor: 'system',
      type: 'tool.rejected',
      data: { tool_call_id: id },
    }));
    await this.database.withTenant(caller.organizationId, (tx) => tx.append(caller.runId, events));
  }

  /** Fails a run whose harness acted without asking. */
  async failRun(caller: RunnerCaller, message: string): Promise<void> {
    await this.database.withTenant(caller.organizationId, (tx) =>
      requestFinalization(tx, caller.runId, { outcome: 'failed', reason: message, wantsQuiesce: true }, [
        { actor: 'system', type: 'run.error', data: { message } },
      ]),
    );
  }
}
