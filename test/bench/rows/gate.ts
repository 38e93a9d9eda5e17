import { createBareSchema } from '../bare-schema.js';
import type { LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { forkServer } from '../load/forked-server.js';
import { postRequest } from '../load/http-connection.js';
import { countGaplessEvents, prepareRuns, retireRuns, seededPolicy } from '../prepared-runs.js';
import { atLeast, atMost } from '../row.js';
import type { BenchOptions, BenchRow } from './bench-row.js';

const CALLERS = 64;
const RUNS = 32;

/** What agents do most, all decided without a human: two reads, an edit, three commands, one of them denied. */
const CALLS = [
  { tool: 'Read', input: { file_path: '/workspace/src/index.ts' } },
  { tool: 'Grep', input: { pattern: 'TODO', path: '/workspace/src' } },
  { tool: 'Edit', input: { file_path: '/workspace/src/a.ts', old_string: 'const a = 1;', new_string: 'const a = 2;' } },
  { tool: 'Bash', input: { command: 'cat package.json | grep version' } },
  { tool: 'Bash', input: { command: 'npm test -- --runInBand && echo done' } },
  { tool: 'Bash', input: { command: 'ls -la src/components && head -50 README.md' } },
];

/** `/permission`, automatic verdict, against a bare handler with one SQL function. */
export const gate: BenchRow = {
  name: 'permission',
  timeoutMs: 60_000,
  async measure(stack, options) {
    const budgets = { max_tool_calls: 1_000_000 };
    const runs = await prepareRuns(stack, RUNS, { policy: seededPolicy('standard'), budgets });
    const ours = await load(options, stack.port, (caller, count) => {
      const run = runs[caller % RUNS]!;
      const call = CALLS[count % CALLS.length]!;
      return postRequest(
        '/internal/permission',
        run.tokens.tool,
        JSON.stringify({ tool_call_id: `toolu_${caller}_${count}`, ...call }),
      );
    });
    const events = await countGaplessEvents(stack, runs);
    await retireRuns(stack, runs);
    const bare = await createBareSchema(stack.owner, RUNS);
    await using server = await forkServer('bare-gate', { url: stack.databaseUrl, tenant: bare.tenant });
    const baseline = await load(options, server.port, (caller, count) =>
      postRequest(
        '/permission',
        'none',
        JSON.stringify({
          session: bare.sessions[caller % RUNS],
          call: `toolu_${caller}_${count}`,
          ...CALLS[count % CALLS.length]!,
        }),
      ),
    );
    return {
      values: { per_second: ours.perSecond, p50: ours.p50, p99: ours.p99, ledger_events: events },
      unit: { per_second: 'verdicts/s', p50: 'ms', p99: 'ms', ledger_events: 'events, gapless' },
      baseline: { per_second: baseline.perSecond, p50: baseline.p50, p99: baseline.p99 },
      targets: [atLeast('verdicts', ours.perSecond, 2000, '/s'), atMost('p99', ours.p99, 60, 'ms')],
      notes: [
        'baseline: bare Fastify handler, one SQL function: lock, insert, two hashed events, forced row-level isolation',
      ],
    };
  },
};

function load(
  { quick }: BenchOptions,
  port: number,
  request: (caller: number, count: number) => string,
): Promise<LoopResult> {
  const counts = new Array<number>(CALLERS).fill(0);
  return exchangeLoop(
    port,
    { callers: CALLERS, warmMs: quick ? 500 : 2500, ms: quick ? 1000 : 6000 },
    (caller) => request(caller, counts[caller]!++),
    ({ status, body }) => status < 300 && body.includes('"decision":"allow"'),
  );
}
