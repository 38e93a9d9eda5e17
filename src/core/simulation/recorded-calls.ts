import type { JsonValue } from '../../domain/json.js';
import type { AnsweredRow } from '../../domain/simulation/recorded-call.js';
import { AgentRevisionEntity } from '../agents/agent.entity.js';
import type { TenantTransaction } from '../record/database.js';

/** Which recorded calls a draft is tried against; null is no restriction. */
export interface CallFilter {
  /** Revisions that name the policy: a run froze the policy of its revision. */
  revisionIds: string[] | null;
  agentId: string | null;
  runIds: string[] | null;
  /** Calls asked at or after this time, and before the other. */
  since: Date | null;
  until: Date | null;
  /** Tool matchers as in a rule: a name, or the start of one with a trailing `*`. */
  tools: string[] | null;
}

export interface RunRow {
  id: string;
  agent_name: string | null;
  autonomy: 'supervised' | 'autonomous';
  policy_version: number | null;
  policy_engine: number;
  /** Tells frozen policies apart; null when the run has none. */
  snapshot_digest: string | null;
}

export interface CallRow extends AnsweredRow {
  session_id: string;
  tool_call_id: string;
  tool: string;
  summary: string;
  requested_at: Date;
  /** Null when the call has no view (any more). */
  sealed: Buffer | null;
  key_version: number | null;
}

/** Position after the last call that was read; calls are read from the newest. */
export interface CallCursor {
  runId: string;
  toolCallId: string;
}

/** Ids of the revisions, old ones included, that name the policy. */
export async function readRevisions(tx: TenantTransaction, policyId: string): Promise<string[]> {
  const rows = await tx.manager.find(AgentRevisionEntity, { select: { id: true }, where: { policy_id: policyId } });
  return rows.map((row) => row.id);
}

/** Runs that match, newest id first, after the one given. Specifications are read of those alone. */
export function readRuns(
  tx: TenantTransaction,
  filter: CallFilter,
  after: string | null,
  limit: number,
): Promise<RunRow[]> {
  return tx.query<RunRow>('select * from svc_find_recorded_runs($1, $2, $3, $4, $5, $6, $7)', [
    ...runArguments(filter),
    after,
    limit,
  ]);
}

/** The frozen policies of these runs, by run. */
export async function readSnapshots(tx: TenantTransaction, runIds: string[]): Promise<Map<string, JsonValue>> {
  const rows = await tx.query<{ id: string; snapshot: JsonValue }>('select * from svc_read_policy_snapshots($1)', [
    runIds,
  ]);
  return new Map(rows.map((row) => [row.id, row.snapshot]));
}

/** Gated calls of these runs with their sealed views, by run and call downwards, after the cursor. */
export function readCalls(
  tx: TenantTransaction,
  runIds: string[],
  filter: CallFilter,
  after: CallCursor | null,
  limit: number,
): Promise<CallRow[]> {
  return tx.query<CallRow>('select * from svc_list_recorded_calls($1, $2, $3, $4, $5, $6, $7, $8)', [
    runIds,
    ...callArguments(filter),
    after?.runId ?? null,
    after?.toolCallId ?? null,
    limit,
  ]);
}

/** How many calls of these runs match after the cursor, counted up to `most`. */
export async function countCalls(
  tx: TenantTransaction,
  runIds: string[],
  filter: CallFilter,
  after: CallCursor | null,
  most: number,
): Promise<number> {
  const [row] = await tx.query<{ calls: number }>(
    'select svc_count_recorded_calls($1, $2, $3, $4, $5, $6, $7, $8) as calls',
    [runIds, ...callArguments(filter), after?.runId ?? null, after?.toolCallId ?? null, most],
  );
  return row?.calls ?? 0;
}

/** Where the ledger says that the call was asked; keyed by run and call. */
export async function readEventSeqs(tx: TenantTransaction, calls: readonly CallCursor[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ session_id: string; tool_call_id: string; seq: string }>(
    'select * from svc_read_request_seqs($1, $2)',
    [[...new Set(calls.map((call) => call.runId))], calls.map((call) => call.toolCallId)],
  );
  return new Map(rows.map((row) => [`${row.session_id}:${row.tool_call_id}`, Number(row.seq)]));
}

function runArguments({ revisionIds, agentId, runIds, since, until }: CallFilter): unknown[] {
  return [revisionIds, agentId, runIds, since, until];
}

function callArguments({ since, until, tools }: CallFilter): unknown[] {
  const exact = tools?.filter((tool) => !tool.endsWith('*')) ?? null;
  const starts = tools?.filter((tool) => tool.endsWith('*')).map((tool) => tool.slice(0, -1)) ?? null;
  return [since, until, exact, starts];
}
