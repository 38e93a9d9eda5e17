import type { JsonValue } from '../../domain/json.js';
import type { AnsweredRow } from '../../domain/simulation/recorded-call.js';
import type { TenantTransaction } from '../record/database.js';

/** Which recorded calls a draft is tried against; null is no restriction. */
export interface CallFilter {
  /** Revisions that name the policy: a run froze the policy of its revision. */
  revisionIds: string[] | null;
  agentId: string | null;
  sessionIds: string[] | null;
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
  sessionId: string;
  toolCallId: string;
}

const RUN_MATCHES = `($1::uuid[] is null or s.agent_revision_id = any ($1)) and ($2::uuid is null or s.agent_id = $2)
  and ($3::uuid[] is null or s.id = any ($3)) and ($4::timestamptz is null or coalesce(s.finished_at, 'infinity') >= $4)
  and ($5::timestamptz is null or s.created_at < $5)`;

const CALL_MATCHES = `($2::timestamptz is null or a.requested_at >= $2) and ($3::timestamptz is null or a.requested_at < $3)
  and ($4::text[] is null or a.tool = any ($4) or exists (select from unnest($5::text[]) as start where starts_with(a.tool, start)))`;

/** Ids of the revisions, old ones included, that name the policy. */
export async function readRevisions(tx: TenantTransaction, policyId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select id from agent_revisions where policy_id = $1', [policyId]);
  return rows.map((row) => row.id);
}

/** Runs that match, newest id first, after the one given. Specifications are read of those alone. */
export function readRuns(
  tx: TenantTransaction,
  filter: CallFilter,
  after: string | null,
  limit: number,
): Promise<RunRow[]> {
  return tx.query<RunRow>(
    `select s.id, s.run_spec ->> 'agent_name' as agent_name, s.autonomy,
            (s.run_spec ->> 'policy_version')::int as policy_version,
            (s.run_spec ->> 'policy_engine')::int as policy_engine,
            encode(sha256(convert_to((s.run_spec -> 'policy_snapshot')::text, 'UTF8')), 'hex') as snapshot_digest
       from (select s.id from sessions s where ${RUN_MATCHES} and ($6::uuid is null or s.id < $6)
              order by s.id desc limit $7) picked
       join sessions s on s.id = picked.id order by s.id desc`,
    [...runArguments(filter), after, limit],
  );
}

/** The frozen policies of these runs, by run. */
export async function readSnapshots(tx: TenantTransaction, sessionIds: string[]): Promise<Map<string, JsonValue>> {
  const rows = await tx.query<{ id: string; snapshot: JsonValue }>(
    `select id, run_spec -> 'policy_snapshot' as snapshot from sessions where id = any ($1::uuid[])`,
    [sessionIds],
  );
  return new Map(rows.map((row) => [row.id, row.snapshot]));
}

/** Gated calls of these runs with their sealed views, by run and call downwards, after the cursor. */
export function readCalls(
  tx: TenantTransaction,
  sessionIds: string[],
  filter: CallFilter,
  after: CallCursor | null,
  limit: number,
): Promise<CallRow[]> {
  return tx.query<CallRow>(
    `select a.session_id, a.tool_call_id, a.tool, a.summary, a.requested_at, a.status, a.source,
            a.withheld_reason is not null as withheld, p.sealed, p.key_version
       from approvals a
       left join tool_call_payloads p on p.session_id = a.session_id and p.tool_call_id = a.tool_call_id
             and p.kind = 'policy_view' and (p.expires_at is null or p.expires_at > clock_timestamp())
      where a.session_id = any ($1::uuid[]) and ${CALL_MATCHES}
        and ($6::uuid is null or (a.session_id, a.tool_call_id) < ($6::uuid, $7))
      order by a.session_id desc, a.tool_call_id desc limit $8`,
    [sessionIds, ...callArguments(filter), after?.sessionId ?? null, after?.toolCallId ?? null, limit],
  );
}

/** How many calls of these runs match after the cursor, counted up to `most`. */
export async function countCalls(
  tx: TenantTransaction,
  sessionIds: string[],
  filter: CallFilter,
  after: CallCursor | null,
  most: number,
): Promise<number> {
  const [row] = await tx.query<{ calls: number }>(
    `select count(*)::int as calls from (
       select 1 from approvals a where a.session_id = any ($1::uuid[]) and ${CALL_MATCHES}
          and ($6::uuid is null or (a.session_id, a.tool_call_id) < ($6::uuid, $7)) limit $8) matching`,
    [sessionIds, ...callArguments(filter), after?.sessionId ?? null, after?.toolCallId ?? null, most],
  );
  return row?.calls ?? 0;
}

/** Where the ledger says that the call was asked; keyed by run and call. */
export async function readEventSeqs(tx: TenantTransaction, calls: readonly CallCursor[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ session_id: string; tool_call_id: string; seq: string }>(
    `select e.session_id, e.payload -> 'data' ->> 'tool_call_id' as tool_call_id, min(e.seq) as seq from events e
      where e.session_id = any ($1::uuid[]) and e.type = 'tool.requested'
        and e.payload -> 'data' ->> 'tool_call_id' = any ($2::text[])
      group by 1, 2`,
    [[...new Set(calls.map((call) => call.sessionId))], calls.map((call) => call.toolCallId)],
  );
  return new Map(rows.map((row) => [`${row.session_id}:${row.tool_call_id}`, Number(row.seq)]));
}

function runArguments({ revisionIds, agentId, sessionIds, since, until }: CallFilter): unknown[] {
  return [revisionIds, agentId, sessionIds, since, until];
}

function callArguments({ since, until, tools }: CallFilter): unknown[] {
  const exact = tools?.filter((tool) => !tool.endsWith('*')) ?? null;
  const starts = tools?.filter((tool) => tool.endsWith('*')).map((tool) => tool.slice(0, -1)) ?? null;
  return [since, until, exact, starts];
}
