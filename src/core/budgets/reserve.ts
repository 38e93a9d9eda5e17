import type { Database } from '../record/database.js';
import { newRowId } from '../../platform/postgres/row-id.js';

/** A model request before dispatch (docs/design/budgets.md). Money in micro-dollars; a null price reserves no cost. */
export interface ModelRequest {
  tokenSha256: string;
  organizationId: string;
  runId: string;
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
 * - `held`: open reservations hold what is left: 429. `too_many_live`: ceiling of concurrent requests: 429.
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
  output_tokens: number | null;
  spent_tokens: number | null;
  spent_cost_micros: number | null;
  reserved_tokens: number | null;
  reserved_cost_micros: number | null;
  unasked: string[] | null;
  refused: string[] | null;
}

/** One round trip before dispatch, shared with what else goes to the database at that moment; durable when it returns. */
export async function reserve(db: Database, request: ModelRequest): Promise<ReserveAnswer> {
  const { tokenSha256, organizationId, runId, runSpecDigest } = request;
  const id = newRowId();
  const row = await db.calls.make<ReserveRow>({
    kind: 'reserve',
    organizationId,
    runId,
    arguments: {
      session: runId,
      token: tokenSha256,
      spec_digest: runSpecDigest,
      request: requestMembers(id, request),
    },
  });
  tellReserved(db, row.outcome);
  return {
    outcome: row.outcome,
    reservationId: row.outcome === 'reserved' ? id : null,
    outputTokens: row.output_tokens,
    spentTokens: row.spent_tokens,
    spentCostMicros: row.spent_cost_micros,
    reservedTokens: row.reserved_tokens,
    reservedCostMicros: row.reserved_cost_micros,
    unasked: row.unasked ?? [],
    refused: row.refused ?? [],
  };
}

function tellReserved({ observer }: Database, outcome: ReserveOutcome): void {
  if (outcome === 'reserved') observer?.reservation('booked');
  else if (outcome === 'exhausted' || outcome === 'held' || outcome === 'too_many_live')
    observer?.reservation('refused');
}

/** The members of the SQL type `svc_model_request`. */
function requestMembers(id: string, request: ModelRequest): object {
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
