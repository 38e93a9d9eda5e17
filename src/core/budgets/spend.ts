import type { TenantTransaction } from '../record/database.js';

/** Whether a run accepts work, and what its model requests cost so far. */
export interface RunSpend {
  accepts: boolean;
  tokens: number;
  costMicros: number;
}

/** Null when the organization has no such run. */
export async function readSpend(tx: TenantTransaction, runId: string): Promise<RunSpend | null> {
  const [row] = await tx.query<{ accepts: boolean; spent_tokens: string; spent_cost_micros: string }>(
    'select * from svc_read_spend($1)',
    [runId],
  );
  if (row === undefined) return null;
  return { accepts: row.accepts, tokens: Number(row.spent_tokens), costMicros: Number(row.spent_cost_micros) };
}
