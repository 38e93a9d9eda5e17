import type pg from 'pg';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { Database, TenantTransaction } from '../record/database.js';
import { translateDatabaseErrors } from '../../platform/postgres/database-errors.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { bodyArguments } from '../ledger/append-events.js';

/** A model request before dispatch (docs/design/budgets.md). Money in micro-dollars; a null price reserves no cost. */
export interface ModelRequest {
  tokenSha256: string;
  organizationId: string;
  sessionId: string;
  runSpecDigest: string;
  /** Estimate: bytes ÷ 3. */
  inputTokens: number;
  /** What the client asked for at most. */
  outputTokens: number;
  inputCostMicros: number | null;
  outputMicrosPerMillion: number | null;
  maxTokens: number | null;
  maxCostMicros: number | null;
  maxLive: number;
  /** Id of this process's lease (process-leases.ts); a process without a live lease loses its reservations. */
  processId: string;
  ttlSecs: number;
  /** Ids of tool uses whose results the request carries. */
  resultIds: string[];
  /** Those among them that the harness itself refused: marked as an error, at most 2 KiB (docs/design/model-gateway.md). */
  refusedResultIds: string[];
  /** How many such refusals a run may have; the next one fails it. */
  maxRefused: number;
}

/**
 * - `reserved`: dispatch with at most `outputTokens` of output.
 * - `exhausted`: recorded spend leaves fewer than 1,024 output tokens: 400, final.
 * - `held`: live reservations hold what is left: 429. `too_many_live`: ceiling of concurrent requests: 429.
 * - `unasked_tool_use`: results of uses that the gate never decided (`unasked`): fail the run. `too_many_refused` likewise.
 * - `inactive`, `reload`, `unauthorized`, `wrong_audience`, `not_found`: as at the gate.
 */
export type ReserveOutcome =
  | 'reserved'
  | 'exhausted'
  | 'held'
  | 'too_many_live'
  | 'unasked_tool_use'
  | 'too_many_refused'
  | 'inactive'
  | 'reload'
  | 'unauthorized'
  | 'wrong_audience'
  | 'not_found';

export interface ReserveAnswer {
  outcome: ReserveOutcome;
  /** Null unless `reserved`. */
  reservationId: string | null;
  outputTokens: number | null;
  spentTokens: number | null;
  spentCostMicros: number | null;
  reservedTokens: number | null;
  reservedCostMicros: number | null;
  unasked: string[];
  /** Refused uses seen for the first time: each deserves a `tool.rejected` line. */
  refused: string[];
}

/** Texts from a statement of its own, numbers from a shared one. */
type Bigint = string | number;

interface ReserveRow {
  outcome: ReserveOutcome;
  output_tokens: Bigint | null;
  spent_tokens: Bigint | null;
  spent_cost_micros: Bigint | null;
  reserved_tokens: Bigint | null;
  reserved_cost_micros: Bigint | null;
  unasked: string[] | null;
  refused: string[] | null;
}

const RESERVE = `select * from svc_reserve($1, $2, $3, $4,
  row($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text[], $16::text[], $17)::svc_model_request)`;

/** One round trip before dispatch, shared with what else goes to the database at that moment; durable when it returns. */
export async function reserve(db: Database, request: ModelRequest): Promise<ReserveAnswer> {
  const { tokenSha256, organizationId, sessionId, runSpecDigest } = request;
  const id = newRowId();
  const members = requestMembers(id, request);
  const row = await db.calls.make<ReserveRow>({
    kind: 'reserve',
    organizationId,
    sessionId,
    arguments: { session: sessionId, token: tokenSha256, spec_digest: runSpecDigest, request: members },
    alone: () =>
      queryRow(db.pool, {
        name: 'svc_reserve',
        text: RESERVE,
        values: [tokenSha256, organizationId, sessionId, runSpecDigest, ...Object.values(members)],
      }),
  });
  tellReserved(db, row.outcome);
  return {
    outcome: row.outcome,
    reservationId: row.outcome === 'reserved' ? id : null,
    outputTokens: toNumber(row.output_tokens),
    spentTokens: toNumber(row.spent_tokens),
    spentCostMicros: toNumber(row.spent_cost_micros),
    reservedTokens: toNumber(row.reserved_tokens),
    reservedCostMicros: toNumber(row.reserved_cost_micros),
    unasked: row.unasked ?? [],
    refused: row.refused ?? [],
  };
}

function tellReserved({ observer }: Database, outcome: ReserveOutcome): void {
  if (outcome === 'reserved') observer?.reservation('booked');
  else if (outcome === 'exhausted' || outcome === 'held' || outcome === 'too_many_live')
    observer?.reservation('refused');
}

/** The members of the SQL type `svc_model_request`, in its order. */
function requestMembers(id: string, request: ModelRequest): Record<string, unknown> {
  return {
    id,
    input_tokens: request.inputTokens,
    wanted_output_tokens: request.outputTokens,
    input_cost_micros: request.inputCostMicros,
    output_micros_per_million: request.outputMicrosPerMillion,
    max_tokens: request.maxTokens,
    max_cost_micros: request.maxCostMicros,
    max_live: request.maxLive,
    process_id: request.processId,
    ttl_secs: request.ttlSecs,
    result_ids: request.resultIds,
    refused_result_ids: request.refusedResultIds,
    max_refused: request.maxRefused,
  };
}

async function queryRow<R extends object>(pool: pg.Pool, query: pg.QueryConfig): Promise<R> {
  const { rows } = await translateDatabaseErrors(() => pool.query<R>(query));
  if (rows[0] === undefined) throw new Error(`${query.name} answered nothing`);
  return rows[0];
}

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
  sessionId: string;
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
  seq: Bigint | null;
  spent_tokens: Bigint;
  spent_cost_micros: Bigint;
  exhausted: SettleAnswer['exhausted'];
}

/** One round trip after the answer: usage row, charge, events, and `budget.warning` when it reaches 80 % of a cap. */
export async function settle(db: Database, settlement: Settlement): Promise<SettleAnswer> {
  const { organizationId, sessionId } = settlement;
  const alone = (): Promise<SettleRow> =>
    queryRow(db.pool, { name: 'svc_settle', text: SETTLE, values: settleArguments(settlement) });
  const call = plainSettlement(settlement);
  const row = await (call === null
    ? alone()
    : db.calls.make({ kind: 'settle', organizationId, sessionId, arguments: call, alone }));
  const answer = toSettleAnswer(row);
  if (answer.outcome !== 'already') {
    db.announce({ ledger: sessionId });
    db.observer?.reservation(answer.outcome);
    db.observer?.appended(settlement.events);
  }
  return answer;
}

/** The members of the SQL type `svc_settle_call`; null for a settlement that is not of the plain sort. */
function plainSettlement(settlement: Settlement): object | null {
  const { usage, sessionId, reservationId, state, maxTokens, maxCostMicros, toolUses } = settlement;
  const { bodies, digests } = bodyArguments(settlement.events);
  const [digest] = digests;
  if (usage === null || bodies.length !== 1 || typeof digest !== 'string') return null;
  return {
    session: sessionId,
    id: reservationId,
    settlement: {
      state,
      model: usage.model,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      cost_micros: usage.costMicros,
      source: usage.source,
      usage_id: newRowId(),
      max_tokens: maxTokens,
      max_cost_micros: maxCostMicros,
    },
    tool_use_ids: toolUses.map((use) => use.id),
    tool_use_names: toolUses.map((use) => use.name),
    body: bodies[0],
    digest,
  };
}

/** Settles inside a transaction, for sweeps and finalization. */
export async function settleWithin(tx: TenantTransaction, settlement: Settlement): Promise<SettleAnswer> {
  const rows = await tx.query<SettleRow>(SETTLE, settleArguments(settlement));
  tx.wake(settlement.sessionId, 'ledger');
  const answer = toSettleAnswer(rows[0]);
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
export async function giveUpReservations(tx: TenantTransaction, sessionId: string): Promise<number> {
  await tx.query('select 1 from session_heads where session_id = $1 for no key update', [sessionId]);
  const live = await tx.query<{ id: string }>(
    `select id from llm_reservations where session_id = $1 and state = 'reserved' order by id`,
    [sessionId],
  );
  for (const { id } of live) await settleWithin(tx, unreported(tx.organizationId, sessionId, id));
  return live.length;
}

/** How many requests of the run are still on their way. */
export async function countLiveReservations(tx: TenantTransaction, sessionId: string): Promise<number> {
  const [row] = await tx.query<{ live: number }>(
    `select count(*)::int as live from llm_reservations where session_id = $1 and state = 'reserved'`,
    [sessionId],
  );
  return row?.live ?? 0;
}

/** The settlement of a reservation whose usage never arrived. */
export function unreported(organizationId: string, sessionId: string, reservationId: string): Settlement {
  return {
    organizationId,
    sessionId,
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

const SETTLE = `select * from svc_settle($1, $2, $3,
  row($4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)::svc_settlement,
  $15::text[], $16::text[], $17::text[], $18::text[])`;

function settleArguments(settlement: Settlement): unknown[] {
  const { usage, maxTokens, maxCostMicros } = settlement;
  const { bodies, digests } = bodyArguments(settlement.events);
  return [
    settlement.organizationId,
    settlement.sessionId,
    settlement.reservationId,
    settlement.state,
    usage?.model ?? null,
    usage?.inputTokens ?? 0,
    usage?.outputTokens ?? 0,
    usage?.cacheReadTokens ?? 0,
    usage?.cacheWriteTokens ?? 0,
    usage?.costMicros ?? null,
    usage?.source ?? null,
    newRowId(),
    maxTokens,
    maxCostMicros,
    settlement.toolUses.map((use) => use.id),
    settlement.toolUses.map((use) => use.name),
    bodies,
    digests,
  ];
}

function toSettleAnswer(row: SettleRow | undefined): SettleAnswer {
  if (row === undefined) throw new Error('svc_settle answered nothing');
  return {
    outcome: row.outcome,
    spentTokens: Number(row.spent_tokens),
    spentCostMicros: Number(row.spent_cost_micros),
    exhausted: row.exhausted,
  };
}

function toNumber(value: Bigint | null): number | null {
  return value === null ? null : Number(value);
}
