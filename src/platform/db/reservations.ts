import type pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { NewEvent } from '../../domain/events/event-kinds.js';
import type { Database, TenantTransaction } from './database.js';
import { translateDatabaseErrors } from './database-errors.js';
import { bodyArguments } from './ledger-append.js';

/** A model request before dispatch (06-gate §7). Money in micro-dollars; a null price reserves no cost. */
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
  /** Those among them that the harness itself refused: marked as an error, at most 2 KiB (04-sandbox §1). */
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

interface ReserveRow {
  outcome: ReserveOutcome;
  output_tokens: string | null;
  spent_tokens: string | null;
  spent_cost_micros: string | null;
  reserved_tokens: string | null;
  reserved_cost_micros: string | null;
  unasked: string[] | null;
  refused: string[] | null;
}

/** One round trip before dispatch; durable when it returns. */
export async function reserve(pool: pg.Pool, request: ModelRequest): Promise<ReserveAnswer> {
  const id = uuidv7();
  const { rows } = await translateDatabaseErrors(() =>
    pool.query<ReserveRow>({
      name: 'svc_reserve',
      text: `select * from svc_reserve($1, $2, $3, $4,
        row($5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::text[], $16::text[], $17)::svc_model_request)`,
      values: [
        request.tokenSha256,
        request.organizationId,
        request.sessionId,
        request.runSpecDigest,
        id,
        request.inputTokens,
        request.outputTokens,
        request.inputCostMicros,
        request.outputMicrosPerMillion,
        request.maxTokens,
        request.maxCostMicros,
        request.maxLive,
        request.processId,
        request.ttlSecs,
        request.resultIds,
        request.refusedResultIds,
        request.maxRefused,
      ],
    }),
  );
  const row = rows[0];
  if (row === undefined) throw new Error('svc_reserve answered nothing');
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
  seq: string | null;
  spent_tokens: string;
  spent_cost_micros: string;
  exhausted: SettleAnswer['exhausted'];
}

/** One round trip after the answer: usage row, charge, events, and `budget.warning` when it reaches 80 % of a cap. */
export async function settle(db: Database, settlement: Settlement): Promise<SettleAnswer> {
  const { rows } = await translateDatabaseErrors(() =>
    db.pool.query<SettleRow>({ name: 'svc_settle', text: SETTLE, values: settleArguments(settlement) }),
  );
  const answer = toSettleAnswer(rows[0]);
  if (answer.outcome !== 'already') db.announce({ ledger: settlement.sessionId });
  return answer;
}

/** Settles inside a transaction, for sweeps and finalization. */
export async function settleWithin(tx: TenantTransaction, settlement: Settlement): Promise<SettleAnswer> {
  const rows = await tx.query<SettleRow>(SETTLE, settleArguments(settlement));
  tx.wake(settlement.sessionId, 'ledger');
  return toSettleAnswer(rows[0]);
}

/**
 * Gives up every live reservation of the run, counted in full: after this its spend no longer changes but by late usage.
 * Runs before the terminal move (06-gate §7).
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
    uuidv7(),
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

function toNumber(text: string | null): number | null {
  return text === null ? null : Number(text);
}
