import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { costCapMicros, exhaustedCap } from '../../../domain/budgets/budget-state.js';
import { SandgateError } from '../../../domain/errors.js';
import { PriceList } from '../../../domain/prices/price-list.js';
import type { ModelPrice, ModelUsage } from '../../../domain/prices/price-list.js';
import { Database } from '../../../core/record/database.js';
import { settle } from '../../../core/budgets/reservations.js';
import { reserve } from '../../../core/budgets/reserve.js';
import type { ReserveAnswer } from '../../../core/budgets/reserve.js';
import { readSpend } from '../../../core/budgets/spend.js';
import { ApiConfig } from '../../foundation/foundation.module.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { BudgetStops } from '../gate/budget-stops.js';
import type { ExhaustedCap } from '../gate/budget-stops.js';
import type { FrozenRun } from '../../../core/gate/run-specs.js';
import type { RelayedAnswer } from './answer-relay.js';
import { CarriedResults, MAX_REFUSED_RESULTS } from './carried-results.js';
import type { ModelCall, Reservation } from './model-call.js';
import { ProcessLease } from './process-lease.js';
import { refusal } from './refusal.js';
import { settlementOf } from './settlement.js';

/** Bytes of a request that count as one input token before the provider has counted (docs/design/budgets.md). */
const BYTES_PER_TOKEN = 3;
const SETTLE_RETRY_MS = [100, 500, 2000];

const UNASKED = 'the result of a tool call that the gate never decided was sent to the model';
const TOO_MANY_REFUSED = 'the harness answered too many tool calls itself, without asking the gate';

/** Holds a model request against the budget before it is sent and settles it afterwards. */
@Injectable()
export class ModelSpend {
  constructor(
    private readonly database: Database,
    private readonly config: ApiConfig,
    private readonly lease: ProcessLease,
    private readonly results: CarriedResults,
    private readonly budgets: BudgetStops,
    private readonly prices: PriceList,
  ) {}

  /**
   * For a request that reserves nothing: the run accepts work and has budget left (docs/design/model-gateway.md, steps 4, 7
   * and 8). `early` is the refusal of a step between them, if there is one.
   */
  async check(caller: RunnerCaller, run: FrozenRun, early: SandgateError | null): Promise<void> {
    const spend = await this.database.withTenant(caller.organizationId, (tx) => readSpend(tx, caller.runId));
    if (spend === null) throw refusal('not_found', 'not found', 'final');
    if (!spend.accepts) throw refusal('invalid_request', 'session is not active', 'final');
    if (early !== null) throw early;
    const exhausted = exhaustedCap(run.spec.budgets, spend);
    if (exhausted !== null) await this.refuseExhausted(caller, exhausted);
  }

  /** Reserves, or refuses with what the client can do about it; `reload` when the specification is not the one on record. */
  async reserve({ caller, run, request }: ModelCall): Promise<Reservation | 'reload'> {
    const carried = this.results.unknown(caller.runId, request.toolResults);
    const inputTokens = Math.ceil(Buffer.byteLength(request.text) / BYTES_PER_TOKEN);
    const answer = await reserve(this.database, {
      tokenSha256: caller.tokenSha256,
      organizationId: caller.organizationId,
      runId: caller.runId,
      runSpecDigest: run.digest,
      inputTokens,
      outputTokens: request.declaredOutputTokens,
      ...estimateCost(this.prices.priceOf(run.spec.model), inputTokens, request.cacheWrites),
      maxTokens: run.spec.budgets.max_tokens,
      maxCostMicros: costCapMicros(run.spec.budgets),
      maxLive: this.config.llm.maxConcurrentReservations,
      processId: await this.lease.id(),
      ttlSecs: this.config.timing.reservationTtlMs / 1000,
      ...carried,
      maxRefused: MAX_REFUSED_RESULTS,
    });
    await this.results.noteRefused(caller, answer);
    if (answer.outcome === 'reload') return 'reload';
    if (answer.reservationId === null || answer.outputTokens === null) return this.refuse(caller, run, answer);
    this.results.admit(caller.runId, carried);
    return { id: answer.reservationId, outputTokens: answer.outputTokens };
  }

  /** Puts the reported usage on the record, or keeps the reservation counted. Tries again while the database is away. */
  async settle(call: ModelCall, reservation: Reservation, forwarded: string, relayed: RelayedAnswer): Promise<void> {
    const settlement = settlementOf(call, this.prices, reservation, forwarded, relayed);
    for (const waitMs of SETTLE_RETRY_MS) {
      try {
        await settle(this.database, settlement);
        return;
      } catch (error) {
        if (!(error instanceof SandgateError) || error.code !== 'unavailable') throw error;
        await sleep(waitMs);
      }
    }
    await settle(this.database, settlement);
  }

  private async refuse(caller: RunnerCaller, run: FrozenRun, answer: ReserveAnswer): Promise<never> {
    switch (answer.outcome) {
      case 'exhausted':
        return this.refuseExhausted(caller, binding(run, answer));
      case 'held':
        throw refusal(
          'rate_limited',
          'other requests of this run hold what is left of its budget (llm_budget_reservation_exceeded)',
          'transient',
        );
      case 'too_many_live':
        throw refusal(
          'rate_limited',
          'too many model requests of this run at once (llm_reservation_ceiling_exceeded)',
          'transient',
        );
      case 'unasked_tool_use':
        await this.results.failRun(caller, UNASKED);
        throw refusal('invalid_request', UNASKED, 'final');
      case 'too_many_refused':
        await this.results.failRun(caller, TOO_MANY_REFUSED);
        throw refusal('invalid_request', TOO_MANY_REFUSED, 'final');
      case 'inactive':
        throw refusal('invalid_request', 'session is not active', 'final');
      case 'unauthorized':
        throw refusal('unauthorized', 'unauthorized', 'final');
      case 'wrong_audience':
        throw refusal('wrong_audience', 'wrong_audience', 'final');
      case 'not_found':
        throw refusal('not_found', 'not found', 'final');
      default:
        throw new SandgateError('internal', 'internal error');
    }
  }

  private async refuseExhausted(caller: RunnerCaller, exhausted: ExhaustedCap): Promise<never> {
    await this.budgets.stopForSpend(caller, exhausted);
    throw refusal('invalid_request', `${exhausted.cap === 'max_tokens' ? 'token' : 'cost'} budget exhausted`, 'final');
  }
}

/** The most that a request can cost before its output: all of its input priced as written to the dearest cache that it asks for. */
function estimateCost(
  price: ModelPrice | null,
  inputTokens: number,
  cacheWrites: ModelCall['request']['cacheWrites'],
): { inputCostMicros: number | null; outputMicrosPerMillion: number | null } {
  if (price === null) return { inputCostMicros: null, outputMicrosPerMillion: null };
  const input: ModelUsage = {
    inputTokens: cacheWrites === 'none' ? inputTokens : 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: cacheWrites === 'none' ? 0 : inputTokens,
    ...(cacheWrites === 'one_hour' ? { cacheWriteOneHourTokens: inputTokens } : {}),
  };
  const inputCostMicros = price.costOf(input);
  const withOutput = price.costOf({ ...input, outputTokens: 1_000_000 });
  return { inputCostMicros, outputMicrosPerMillion: withOutput - inputCostMicros };
}

/** The cap that leaves the request no room; cost first, as it is checked. */
function binding(run: FrozenRun, answer: ReserveAnswer): ExhaustedCap {
  const spend = { tokens: answer.spentTokens ?? 0, costMicros: answer.spentCostMicros ?? 0 };
  const reached = exhaustedCap(run.spec.budgets, spend);
  if (reached !== null) return reached;
  const costCap = costCapMicros(run.spec.budgets);
  const tokenCap = run.spec.budgets.max_tokens;
  const costShare = costCap === null ? -1 : spend.costMicros / costCap;
  const tokenShare = tokenCap === null ? -1 : spend.tokens / tokenCap;
  return costShare >= tokenShare
    ? { cap: 'max_cost_usd', limit: costCap ?? 0, spent: spend.costMicros }
    : { cap: 'max_tokens', limit: tokenCap ?? 0, spent: spend.tokens };
}
