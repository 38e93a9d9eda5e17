import { v7 as uuidv7 } from 'uuid';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import type { BenchStack } from '../bench-stack.js';
import { createBareSchema } from '../bare-schema.js';
import { forkServer } from '../load/forked-server.js';
import { HttpConnection, postRequest } from '../load/http-connection.js';
import { spreadOf } from '../load/percentiles.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const RUNS = 8;
const PENDING_AT_ONCE = 32;

/** Approval decision → blocked call released. */
export const approvals: BenchRow = {
  name: 'approval-release',
  timeoutMs: 60_000,
  async measure(stack, { quick }) {
    const rounds = quick ? 1 : 8;
    const runs = await prepareRuns(stack, RUNS, {});
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(...(await measureRound(stack, runs, round)));
    await retireRuns(stack, runs);
    const baseline = spreadOf(await measureBare(stack, quick ? 20 : 200));
    const ours = spreadOf(times);
    return {
      values: { p50: ours.p50, p99: ours.p99, max: ours.max, decisions: ours.count },
      unit: { p50: 'ms', p99: 'ms', max: 'ms', decisions: 'decisions' },
      baseline: { p50: baseline.p50, p99: baseline.p99, max: baseline.max },
      targets: [atMost('p99', ours.p99, 50, 'ms')],
      notes: [
        `from sending the decision to the released answer, ${PENDING_AT_ONCE} calls of ${RUNS} runs blocked at once, decided one after the other`,
        'baseline: bare Fastify, one insert, a waiter in memory',
      ],
    };
  },
};

async function measureRound(stack: BenchStack, runs: FixtureRun[], round: number): Promise<number[]> {
  const callers = await Promise.all(Array.from({ length: PENDING_AT_ONCE }, () => HttpConnection.open(stack.port)));
  const decider = await HttpConnection.open(stack.port);
  const releasedAt = new Map<string, number>();
  const blocked = callers.map(async (connection, index) => {
    const id = `toolu_${round}_${index}`;
    const body = JSON.stringify({ tool_call_id: id, tool: 'Deploy', input: { target: 'production' } });
    const token = runs[index % RUNS]!.tokens.tool;
    const { body: answer } = await connection.exchange(postRequest('/internal/permission', token, body));
    releasedAt.set(`${runs[index % RUNS]!.runId} ${id}`, performance.now());
    if (!answer.includes('"allow"')) throw new Error(`the blocked call got ${answer}`);
  });
  const pending = await untilPending(stack, runs, PENDING_AT_ONCE);
  const times: number[] = [];
  for (const { id, key } of pending) {
    const sentAt = performance.now();
    const path = `/v1/approvals/${id}/decision`;
    const answer = await decider.exchange(postRequest(path, stack.adminToken, '{"decision":"approved_once"}'));
    if (answer.status !== 200) throw new Error(`the decision was answered ${answer.status} ${answer.body}`);
    const call = blocked[Number(key.split('_')[2])]!;
    await call;
    times.push(releasedAt.get(key)! - sentAt);
  }
  for (const connection of [...callers, decider]) connection.close();
  return times;
}

async function untilPending(
  stack: BenchStack,
  runs: FixtureRun[],
  count: number,
): Promise<{ id: string; key: string }[]> {
  for (let looks = 0; looks < 1000; looks += 1) {
    const { rows } = await stack.owner.query<{ id: string; key: string }>(
      `select id, session_id || ' ' || tool_call_id as key from approvals where session_id = any($1) and status = 'pending'`,
      [runs.map((run) => run.runId)],
    );
    if (rows.length === count) return rows;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the calls were not parked');
}

async function measureBare(stack: BenchStack, decisions: number): Promise<number[]> {
  const bare = await createBareSchema(stack.owner, 1);
  await using server = await forkServer('bare-gate', { url: stack.databaseUrl, tenant: bare.tenant });
  const [caller, decider] = [await HttpConnection.open(server.port), await HttpConnection.open(server.port)];
  const times: number[] = [];
  for (let index = 0; index < decisions; index += 1) {
    const body = JSON.stringify({ id: uuidv7() });
    const released = caller.exchange(postRequest('/wait', 'none', body)).then(() => performance.now());
    await new Promise((resolve) => setTimeout(resolve, 2));
    const sentAt = performance.now();
    await decider.exchange(postRequest('/decide', 'none', body));
    times.push((await released) - sentAt);
  }
  caller.close();
  decider.close();
  return times;
}
