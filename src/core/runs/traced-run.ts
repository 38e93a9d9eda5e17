import type { TenantTransaction } from '../record/database.js';

/** What a run's own span tells: names, counts and times. */
export interface TracedRunRow {
  traceparent: string | null;
  status: string;
  agent_id: string;
  agent_name: string;
  harness: string;
  model: string;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  tool_calls: number;
  /** Cached tokens included, as the conventions of OpenTelemetry count them. */
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

/** Undefined when the organization has no such run. */
export async function readTracedRun(tx: TenantTransaction, sessionId: string): Promise<TracedRunRow | undefined> {
  const [row] = await tx.query<TracedRunRow>(
    `select s.traceparent, s.status, s.agent_id, s.run_spec->>'agent_name' as agent_name, s.run_spec->>'harness' as harness,
            s.run_spec->>'model' as model, s.created_at, s.started_at, s.finished_at, h.tool_calls,
            u.input_tokens, u.output_tokens, u.cost_usd
       from sessions s
       join session_heads h on h.session_id = s.id,
       lateral (select coalesce(sum(input_tokens + cache_read_tokens + cache_write_tokens), 0)::float8 as input_tokens,
                       coalesce(sum(output_tokens), 0)::float8 as output_tokens,
                       (coalesce(sum(cost_micros), 0) / 1000000)::float8 as cost_usd
                  from usage_entries where session_id = s.id) u
      where s.id = $1`,
    [sessionId],
  );
  return row;
}
