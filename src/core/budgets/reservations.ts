import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { bodyArguments } from '../ledger/append-events.js';
import { makeWithin, type BatchedCall } from '../record/statement-batches.js';
import { ReservationEntity } from './reservation.entity.js';

export interface ModelUsage {
  model: string;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** Null when the model has no price. */
  costMicros: number | null;
  /** Where the figures come from, for example `facade`. */
  source: string;
}

export interface Settlement {
  organizationId: string;
  runId: string;
  reservationId: string;
  /**
   * `charged` with the reported usage; `released` only when the request was provably never sent; `unreported` when it may
   * have been answered and no usage arrived: the reservation stays counted.
   */
  state: 'charged' | 'released' | 'unreported';
  usage: ModelUsage | null;
  /** Tool uses that the answer contained, id and name. */
  toolUses: { id: string; name: string }[];
  maxTokens: number | null;
  maxCostMicros: number | null;
  /** Appended with the settlement, for example model.response. */
  events: NewEvent[];
}

export interface SettleAnswer {
  /** `already`: this reservation was settled before, nothing changed. */
  outcome: 'charged' | 'released' | 'unreported' | 'already';
  spentTokens: number;
  spentCostMicros: number;
  /** The cap that recorded spend has now reached: stop the run. */
  exhausted: 'max_tokens' | 'max_cost_usd' | null;
}

interface SettleRow {
  outcome: SettleAnswer['outcome'];
  seq: number | null;
  spent_tokens: number;
  spent_cost_micros: number;
  exhausted: SettleAnswer['exhausted'];
}

/** One round trip after the answer: usage row, charge, events, and `budget.warning` when it reaches 80 % of a cap. */
export async function settle(db: Database, settlement: Settlement): Promise<SettleAnswer> {
  const row = await db.calls.make<SettleRow>(settlementCall(settlement));
  const answer = toSettleAnswer(row);
  if (answer.outcome !== 'already') {
    db.announce({ ledger: settlement.runId });
    db.observer?.reservation(answer.outcome);
    db.observer?.appended(settlement.events);
  }
  return answer;
}

/** The arguments are the members of the SQL type `svc_settle_call`. */
function settlementCall(settlement: Settlement): BatchedCall {
  const { usage, organizationId, runId, reservationId, state, maxTokens, maxCostMicros, toolUses } = settlement;
  return {
    kind: 'settle',
    organizationId,
    runId,
    arguments: {
      session: runId,
      id: reservationId,
      settlement: {
        state,
        model: usage?.model ?? null,
        input_tokens: usage?.inputTokens ?? 0,
        output_tokens: usage?.outputTokens ?? 0,
        cache_read_tokens: usage?.cacheReadTokens ?? 0,
        cache_write_tokens: usage?.cacheWriteTokens ?? 0,
        cost_micros: usage?.costMicros ?? null,
        source: usage?.source ?? null,
        usage_id: newRowId(),
        max_tokens: maxTokens,
        max_cost_micros: maxCostMicros,
      },
      tool_use_ids: toolUses.map((use) => use.id),
      tool_use_names: toolUses.map((use) => use.name),
      ...bodyArguments(settlement.events),
    },
  };
}

/** Settles inside a transaction, for sweeps and finalization. */
export async function settleWithin(tx: TenantTransaction, settlement: Settlement): Promise<SettleAnswer> {
  const answer = toSettleAnswer(await makeWithin<SettleRow>(tx, settlementCall(settlement)));
  tx.wake(settlement.runId, 'ledger');
  const { outcome } = answer;
  if (outcome !== 'already') {
    tx.tell((observer) => {
      observer.reservation(outcome);
      observer.appended(settlement.events);
    });
  }
  return answer;
}

/**
 * Gives up every live reservation of the run, counted in full: after this its spend no longer changes but by late usage.
 * Runs before the terminal move.
 *
 * @returns how many there were
 */
export async function giveUpReservations(tx: TenantTransaction, runId: string): Promise<number> {
  const live = await tx.query<{ id: string }>('select svc_lock_live_reservations($1) as id', [runId]);
  for (const { id } of live) await settleWithin(tx, unreported(tx.organizationId, runId, id));
  return live.length;
}

/** How many requests of the run are still on their way. */
export function countLiveReservations(tx: TenantTransaction, runId: string): Promise<number> {
  return tx.manager.countBy(ReservationEntity, { session_id: runId, state: 'reserved' });
}

/** The settlement of a reservation whose usage never arrived. */
export function unreported(organizationId: string, runId: string, reservationId: string): Settlement {
  return {
    organizationId,
    runId,
    reservationId,
    state: 'unreported',
    usage: null,
    toolUses: [],
    maxTokens: null,
    maxCostMicros: null,
    events: [
      {
        actor: 'system',
        type: 'agent.message',
        data: { role: 'system', text: 'model request settled without reported usage; its reservation stays counted' },
      },
    ],
  };
}

function toSettleAnswer(row: SettleRow): SettleAnswer {
  return {
    outcome: row.outcome,
    spentTokens: row.spent_tokens,
    spentCostMicros: row.spent_cost_micros,
    exhausted: row.exhausted,
  };
}
