import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulationView } from '../../../src/api/simulation/simulation.dto.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { compilePolicy } from '../../../src/domain/policy/compile-policy.js';
import { evaluate } from '../../../src/domain/policy/evaluate.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import type { BenchStack } from '../bench-stack.js';
import { HttpConnection, postRequest } from '../load/http-connection.js';
import { spreadOf } from '../load/percentiles.js';
import { POLICY_CALLS } from '../policy-load.js';
import { prepareRuns, retireRuns, seededPolicy } from '../prepared-runs.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const RUNS = 50;
const CALLERS = 16;

/** A draft against 10,000 calls that the gate recorded, and what other requests notice of it. */
export const policySimulate: BenchRow = {
  name: 'policy-simulate',
  timeoutMs: 90_000,
  async measure(stack, { quick }) {
    const calls = quick ? 1000 : 10_000;
    const policy = seededPolicy('standard');
    const runs = await prepareRuns(stack, RUNS, {
      policy,
      autonomy: 'autonomous',
      budgets: { max_tool_calls: 100_000 },
    });
    await recordThroughGate(stack, runs, calls);
    const kept = await waitForViews(stack, runs, calls);
    await retireRuns(stack, runs);
    const idle = await latencies(stack, (done) => sleep(1500).then(done));
    const times: number[] = [];
    let totals: SimulationView['totals'] | null = null;
    const busy = await latencies(stack, async (done) => {
      for (let round = 0; round < (quick ? 1 : 3); round += 1) {
        const start = performance.now();
        totals = (await simulate(stack, runs, calls)).totals;
        times.push(performance.now() - start);
      }
      done();
    });
    const bare = bareEvaluation(policy, calls);
    return {
      values: {
        seconds: Math.max(...times) / 1000,
        calls: totals!.calls,
        unknown: totals!.unknown,
        views: kept,
        other_p50: busy.p50,
        other_p99: busy.p99,
      },
      unit: {
        seconds: 's, slowest',
        calls: 'calls',
        unknown: 'calls',
        views: 'views kept',
        other_p50: 'ms',
        other_p99: 'ms',
      },
      baseline: { evaluation_seconds: bare / 1000, other_p50: idle.p50, other_p99: idle.p99 },
      targets: [
        atMost(`${calls} recorded calls answered`, Math.max(...times) / 1000, 5, 's'),
        atMost('calls without a view', totals!.unknown, 0, ''),
        atMost('p99 of other requests meanwhile', busy.p99, 50, 'ms'),
      ],
      notes: [
        'baseline: both evaluations of each call in one loop, without reading and opening; other requests with no simulation',
      ],
    };
  },
};

async function recordThroughGate(stack: BenchStack, runs: FixtureRun[], calls: number): Promise<void> {
  let next = 0;
  const caller = async (): Promise<void> => {
    const connection = await HttpConnection.open(stack.port);
    try {
      for (let n = next++; n < calls; n = next++) {
        const body = JSON.stringify({ tool_call_id: `toolu_${n}`, ...POLICY_CALLS[n % POLICY_CALLS.length] });
        const run = runs[n % runs.length]!;
        const { status } = await connection.exchange(postRequest('/internal/permission', run.tokens.tool, body));
        if (status !== 200) throw new Error(`the gate answered ${status}`);
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

/** Views are written beside the gate; the last ones some milliseconds after the answer. */
async function waitForViews(stack: BenchStack, runs: FixtureRun[], calls: number): Promise<number> {
  const ids = runs.map((run) => run.runId);
  for (let attempt = 0; ; attempt += 1) {
    const { rows } = await stack.owner.query<{ kept: number }>(
      `select count(*)::int as kept from tool_call_payloads where kind = 'policy_view' and session_id = any ($1)`,
      [ids],
    );
    const kept = rows[0]?.kept ?? 0;
    if (kept === calls || attempt === 100) return kept;
    await sleep(50);
  }
}

function simulate(stack: BenchStack, runs: FixtureRun[], limit: number): Promise<SimulationView> {
  const yaml = readFileSync(new URL('../../../policies/governed.yaml', import.meta.url), 'utf8');
  const body = { yaml, session_ids: runs.map((run) => run.runId), all_policies: true, limit };
  return stack.json<SimulationView>('POST', '/v1/policies/default/simulate', body);
}

/** Times of small requests, one after the other, until `work` says that it is done. */
async function latencies(
  stack: BenchStack,
  work: (done: () => void) => Promise<void>,
): Promise<{ p50: number; p99: number }> {
  let over = false;
  const working = work(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over) {
    const start = performance.now();
    await stack.json('GET', '/v1/health');
    times.push(performance.now() - start);
    await sleep(2);
  }
  await working;
  return spreadOf(times);
}

function bareEvaluation(policy: JsonObject, calls: number): number {
  const [before, after] = [compilePolicy(policy), compilePolicy(seededPolicy('governed'))];
  const start = performance.now();
  for (let n = 0; n < calls; n += 1) {
    const call = POLICY_CALLS[n % POLICY_CALLS.length]!;
    evaluate(before, call, 'autonomous');
    evaluate(after, call, 'autonomous');
  }
  return performance.now() - start;
}
