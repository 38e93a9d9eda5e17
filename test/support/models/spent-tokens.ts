import type { Database } from '../../../src/core/record/database.js';
import { readRows } from '../gate/gated-run.js';
import type { FixtureRun } from '../runs/run-fixture.js';

/** What a run has spent by its head, and what its entries and unreported requests come to; `live` reservations are in neither. */
export interface SpentTokens {
  spent: number;
  live: number;
  settled: number;
}

export async function spentTokens(db: Database, run: FixtureRun): Promise<SpentTokens> {
  const [head] = await readRows<SpentTokens>(
    db,
    run,
    `select spent_tokens::int as spent,
            (select count(*)::int from llm_reservations r where r.session_id = h.session_id and state = 'reserved') as live,
            (select coalesce(sum(input_tokens + output_tokens), 0)::int from usage_entries u where u.session_id = h.session_id)
            + (select coalesce(sum(input_tokens + output_tokens), 0)::int from llm_reservations r
               where r.session_id = h.session_id and state = 'unreported') as settled
       from session_heads h where session_id = $1`,
  );
  if (head === undefined) throw new Error('the run has no head');
  return head;
}
