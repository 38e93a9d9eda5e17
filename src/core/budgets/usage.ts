import { microsToUsd } from '../../domain/budgets/money.js';
import type { TenantTransaction } from '../record/database.js';
import { onlyRow } from '../record/query-row.js';

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
  tool_calls: number;
  unreported_requests: string;
  reserved_micros: string;
}

/** UsageTotals of a run: what providers reported, and apart from it what never was reported (docs/design/runs.md). */
export async function readUsage(tx: TenantTransaction, runId: string): Promise<RunUsage> {
  const row = onlyRow(await tx.query<UsageRow>('select * from svc_read_usage($1)', [runId]), 'svc_read_usage');
  return {
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cache_read_tokens: Number(row.cache_read_tokens),
    cache_write_tokens: Number(row.cache_write_tokens),
    cost_usd: microsToUsd(Number(row.cost_micros)),
    requests: Number(row.requests),
    tool_calls: row.tool_calls,
    unreported_requests: Number(row.unreported_requests),
    reserved_cost_usd: microsToUsd(Number(row.reserved_micros)),
  };
}
