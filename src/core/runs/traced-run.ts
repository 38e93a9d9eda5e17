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
export async function readTracedRun(tx: TenantTransaction, runId: string): Promise<TracedRunRow | undefined> {
  const [row] = await tx.query<TracedRunRow>('select * from svc_read_traced_run($1)', [runId]);
  return row;
}
