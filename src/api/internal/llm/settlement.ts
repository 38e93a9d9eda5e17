import { costCapMicros } from '../../../domain/budgets/budget-state.js';
import { microsToUsd } from '../../../domain/budgets/money.js';
import { digestOfText } from '../../../domain/digest/digest.js';
import type { NewEvent } from '../../../domain/events/event-kinds.js';
import type { PriceList } from '../../../domain/prices/price-list.js';
import type { ModelUsage } from '../../../domain/prices/price-list.js';
import type { Settlement } from '../../../core/budgets/reservations.js';
import type { RelayedAnswer } from './answer-relay.js';
import type { ModelCall, Reservation } from './model-call.js';

/** Statuses above 499 with which providers say that they are too busy to begin. */
const TOO_BUSY: readonly unknown[] = [503, 529];

/** Statuses below 500 with which a gateway says that it gave up waiting; the model behind it may still have answered. */
const GAVE_UP: readonly unknown[] = [408, 499];

/** A provider that refuses before it generates bills nothing; the same holds when no connection was made. */
function isUnbilled({ status, neverSent }: RelayedAnswer): boolean {
  if (neverSent || status === null || GAVE_UP.includes(status)) return neverSent;
  return (status >= 400 && status < 500) || TOO_BUSY.includes(status);
}

/** How a model request is put on the record: charged with what was reported, released when it cannot have cost anything, else kept counted. */
export function settlementOf(
  call: ModelCall,
  prices: PriceList,
  reservation: Reservation,
  forwarded: string,
  relayed: RelayedAnswer,
): Settlement {
  const { caller, run } = call;
  const { answer } = relayed;
  const ok = relayed.status !== null && relayed.status < 300;
  const usage = ok ? (answer?.usage ?? null) : null;
  const state = usage !== null ? 'charged' : isUnbilled(relayed) ? 'released' : 'unreported';
  const costMicros = usage === null ? null : prices.costOf(run.spec.model, usage);
  return {
    organizationId: caller.organizationId,
    runId: caller.runId,
    reservationId: reservation.id,
    state,
    usage: usage === null ? null : { ...usage, model: run.spec.model, costMicros, source: 'facade' },
    toolUses: ok ? (answer?.toolUses ?? []).map((use) => ({ id: use.id, name: use.tool })) : [],
    maxTokens: run.spec.budgets.max_tokens,
    maxCostMicros: costCapMicros(run.spec.budgets),
    events: settlementEvents(run.spec.model, state, usage, costMicros, forwarded, answer?.digest ?? null),
  };
}

/** Digests, counts and cost only: no text of a prompt or a completion is ever in the ledger (CP-022). */
function settlementEvents(
  model: string,
  state: Settlement['state'],
  usage: ModelUsage | null,
  costMicros: number | null,
  forwarded: string,
  answerDigest: string | null,
): NewEvent[] {
  if (usage !== null) {
    const data = {
      model,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      cost_usd: costMicros === null ? null : microsToUsd(costMicros),
      request_digest: digestOfText(forwarded),
      response_digest: answerDigest,
    };
    return [{ actor: 'system', type: 'model.response', data }];
  }
  if (state === 'released') return [];
  return [
    {
      actor: 'system',
      type: 'agent.message',
      data: { role: 'system', text: 'model stream completed (usage unparsed)' },
    },
  ];
}
