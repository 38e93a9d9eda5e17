import { microsToUsd } from '../../domain/budgets/money.js';
import type { TenantTransaction } from '../record/database.js';

/** See the public document for each member. */
export interface RunUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  cost_usd: number;
  requests: number;
  tool_calls: number;
  unreported_requests: number;
  reserved_cost_usd: number;
}

/** Sums arrive as text, because PostgreSQL's sum of bigint is numeric. */
interface UsageRow {
  input_tokens: string;
  output_tokens: string;
  cache_read_tokens: string;
  cache_write_tokens: string;
  cost_micros: string;
  requests: string;
  tool_calls: string;
  unreported_requests: string;
  reserved_micros: string;
}

/** UsageTotals of a run: what providers reported, and apart from it what never was reported (docs/design/runs.md). */
export async function readUsage(tx: TenantTransaction, runId: string): Promise<RunUsage> {
  const [row] = await tx.query<UsageRow>(
    `select u.*, r.*, coalesce((select tool_calls from session_heads where session_id = $1), 0) as tool_calls
       from (select coalesce(sum(input_tokens), 0) as input_tokens,
                    coalesce(sum(output_tokens), 0) as output_tokens,
                    coalesce(sum(cache_read_tokens), 0) as cache_read_tokens,
                    coalesce(sum(cache_write_tokens), 0) as cache_write_tokens,
                    coalesce(sum(cost_micros), 0) as cost_micros,
                    count(*) as requests
               from usage_entries where session_id = $1) u,
            (select count(*) as unreported_requests, coalesce(sum(cost_micros), 0) as reserved_micros
               from llm_reservations where session_id = $1 and state = 'unreported') r`,
    [runId],
  );
  if (row === undefined) throw new Error('an aggregate without a row');
  return {
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cache_read_tokens: Number(row.cache_read_tokens),
    cache_write_tokens: Number(row.cache_write_tokens),
    cost_usd: microsToUsd(Number(row.cost_micros)),
    requests: Number(row.requests),
    tool_calls: Number(row.tool_calls),
    unreported_requests: Number(row.unreported_requests),
    reserved_cost_usd: microsToUsd(Number(row.reserved_micros)),
  };
}
