import pg from 'pg';
import type { NewEvent } from '../../../src/domain/events/event-kinds.js';
import { createBareSchema } from '../bare-schema.js';
import { closedLoop } from '../load/closed-loop.js';
import { countGaplessEvents, prepareRuns, retireRuns } from '../prepared-runs.js';
import { atLeast } from '../row.js';
import type { BenchRow } from './bench-row.js';

const WRITERS = 32;

/** Ledger append, 32 at once on 32 runs, against bare inserts by as many writers. */
export const ledger: BenchRow = {
  name: 'ledger-append',
  timeoutMs: 60_000,
  async measure(stack, { quick }) {
    const times = { callers: WRITERS, warmMs: quick ? 300 : 2000, ms: quick ? 700 : 5000 };
    const runs = await prepareRuns(stack, WRITERS, {});
    const ours = await closedLoop({
      ...times,
      call: (writer) => {
        const run = runs[writer]!;
        return stack.db.append(run.organizationId, run.runId, [event(`toolu_${writer}`)]);
      },
    });
    const events = await countGaplessEvents(stack, runs);
    await retireRuns(stack, runs);
    const { sessions } = await createBareSchema(stack.owner, WRITERS);
    const pool = new pg.Pool({ connectionString: stack.databaseUrl, max: 16 });
    const seqs = new Array<number>(WRITERS).fill(0);
    const baseline = await closedLoop({
      ...times,
      call: (writer) => insert(pool, sessions[writer]!, (seqs[writer]! += 1), event(`toolu_${writer}`)),
    });
    await pool.end();
    const share = (ours.perSecond / baseline.perSecond) * 100;
    return {
      values: { per_second: ours.perSecond, p50: ours.p50, p99: ours.p99, share_of_bare: share, events },
      unit: { per_second: 'events/s', p50: 'ms', p99: 'ms', share_of_bare: '%', events: 'events, gapless' },
      baseline: { per_second: baseline.perSecond, p50: baseline.p50, p99: baseline.p99 },
      targets: [atLeast('appends', ours.perSecond, 3000, '/s'), atLeast('share of bare inserts', share, 35, '%')],
      notes: ['each append is a transaction of its own; baseline: inserts without isolation, chain and row lock'],
    };
  },
};

function event(toolCallId: string): NewEvent {
  return {
    actor: 'agent',
    type: 'tool.requested',
    data: {
      tool_call_id: toolCallId,
      tool: 'Bash',
      summary: 'npm test -- --runInBand',
      input_digest: `sha256:${'0'.repeat(64)}`,
    },
  };
}

function insert(pool: pg.Pool, session: string, seq: number, { actor, type, data }: NewEvent): Promise<unknown> {
  return pool.query({
    name: 'bare_insert',
    text: `insert into bare.plain_events (session, seq, event_id, actor, type, schema_version, payload, occurred_at)
           values ($1, $2, gen_random_uuid(), $3, $4, 1, $5::jsonb, clock_timestamp())`,
    values: [session, seq, actor, type, JSON.stringify({ type, data })],
  });
}
