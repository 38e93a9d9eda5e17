import { createSubscription } from '../../support/triggers/subscription-fixture.js';
import { BenchStack } from '../bench-stack.js';
import { HttpConnection, postRequest } from '../load/http-connection.js';
import { closedLoop, type LoopResult } from '../load/closed-loop.js';
import { atLeast } from '../row.js';
import type { AloneRow } from './bench-row.js';

const AGENT = 'bench-trigger';
const CALLERS = 16;
/** One place: nearly all runs stay in line, so that what is measured is how they are made. */
const ONE_PLACE = { SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '1' };

/** Runs made by invoking a trigger beside runs made by POST /v1/sessions, in turns. */
export const triggerInvoke: AloneRow = {
  name: 'trigger-invoke',
  timeoutMs: 120_000,
  async measureAlone({ quick }) {
    await using stack = await BenchStack.start(ONE_PLACE);
    const { agent } = await stack.json<{ agent: { id: string; tenant_id: string } }>('POST', '/v1/agents', {
      ...{ name: AGENT, harness: 'replay', policy: 'standard' },
    });
    const of = { organizationId: agent.tenant_id, agentId: agent.id };
    const subscription = await createSubscription(stack.db, of, { task_template: '[]' });
    const invoke = postRequest(`/v1/triggers/${subscription.id}/invoke`, subscription.token, '{}');
    const create = postRequest('/v1/sessions', stack.adminToken, JSON.stringify({ agent: AGENT, task: '[]' }));
    const rounds: { invoked: LoopResult; created: LoopResult }[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round += 1) {
      const created = await send(stack, create, quick);
      rounds.push({ created, invoked: await send(stack, invoke, quick) });
    }
    const invoked = medianOf(rounds.map((round) => round.invoked));
    const created = medianOf(rounds.map((round) => round.created));
    return {
      values: { per_second: invoked.perSecond, p50: invoked.p50, p99: invoked.p99 },
      unit: { per_second: 'runs/s', p50: 'ms', p99: 'ms' },
      baseline: { per_second: created.perSecond, p50: created.p50, p99: created.p99 },
      targets: [atLeast('share of the baseline', invoked.perSecond / created.perSecond, 0.7, '×')],
      notes: [
        `${CALLERS} callers, medians of ${rounds.length} rounds; baseline: POST /v1/sessions with the same agent and task, before each round`,
        'the trigger lets its runs stack up; each run is on the record with its first events and its wake-up when it is answered',
      ],
    };
  },
};

async function send(stack: BenchStack, request: string, quick: boolean): Promise<LoopResult> {
  const connections = await Promise.all(Array.from({ length: CALLERS }, () => HttpConnection.open(stack.port)));
  try {
    return await closedLoop({
      callers: CALLERS,
      warmMs: quick ? 200 : 500,
      ms: quick ? 500 : 3000,
      call: async (caller) => {
        const { status, body } = await connections[caller]!.exchange(request);
        if (status !== 200) throw new Error(`answered ${status} ${body}`);
      },
    });
  } finally {
    for (const connection of connections) connection.close();
  }
}

function medianOf(results: LoopResult[]): LoopResult {
  const sorted = results.toSorted((one, other) => one.perSecond - other.perSecond);
  return sorted[Math.floor(sorted.length / 2)] as LoopResult;
}
