import { hash, randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { BenchStack } from '../bench-stack.js';
import { callBareBroker } from '../load/bare-broker.js';
import type { Loop, LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { forkServer } from '../load/forked-server.js';
import { postRequest } from '../load/http-connection.js';
import { rawUpdates } from '../load/raw-updates.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const CALLERS = 64;
const RUNS = 16;
const AGENT = 'bench-broker';

/** What a brokered call adds to calling the upstream directly, against a bare Temporal update with one activity. */
export const brokeredCalls: BenchRow = {
  name: 'brokered-calls',
  timeoutMs: 200_000,
  async measure(stack, { quick }) {
    await using upstream = await forkServer('mcp-upstream');
    const origin = `http://127.0.0.1:${upstream.port}`;
    const runs = await startRuns(stack, `${origin}/mcp`);
    const loop = { callers: CALLERS, warmMs: quick ? 500 : 4_000, ms: quick ? 1_000 : 10_000 };
    const direct = await callDirectly(upstream.port, { ...loop, warmMs: 500, ms: quick ? 500 : 3_000 });
    const before = await rawUpdates(stack.installation.temporalAddress, RUNS, loop);
    const ours = await callBrokered(stack, runs, loop);
    const least = await callBareBroker(stack, origin, RUNS, loop);
    const after = await rawUpdates(stack.installation.temporalAddress, RUNS, loop);
    for (const { runId } of runs) await stack.json('POST', `/v1/sessions/${runId}/cancel`);
    const bare = (before.p50 + after.p50) / 2;
    const added = ours.p50 - direct.p50;
    return {
      values: { p50: ours.p50, p99: ours.p99, added, ratio: added / bare, per_second: ours.perSecond },
      unit: { p50: 'ms', p99: 'ms', added: 'ms', ratio: '× a bare update', per_second: 'calls/s' },
      baseline: {
        bare_update_p50: bare,
        bare_update_p50_before: before.p50,
        bare_update_p50_after: after.p50,
        bare_updates_per_second: (before.perSecond + after.perSecond) / 2,
        bare_broker_p50: least.p50,
        bare_broker_ratio: (least.p50 - direct.p50) / bare,
        direct_p50: direct.p50,
        direct_per_second: direct.perSecond,
      },
      targets: [atMost('added p50', added, 1.3 * bare, 'ms')],
      notes: [
        `${CALLERS} callers on ${RUNS} runs, one connection; every call passes gate, claim, credential, drift check and settlement`,
        'baseline: an update of a bare workflow with one activity, on the same Temporal server, measured before and after',
        'bare broker: the same steps as bare inserts, updates and requests, without policy, isolation, sealing and chain',
        'limits of outbound calls are off in this installation',
      ],
    };
  },
};

interface LiveRun {
  runId: string;
  token: string;
}

/** Runs whose agent sleeps, so that the row can speak for them. */
async function startRuns(stack: BenchStack, url: string): Promise<LiveRun[]> {
  await stack.json('POST', '/v1/connections', { provider: 'mcp_http', base_url: url, token: 'bench-key' });
  const content = {
    name: AGENT,
    defaults: { tool_action: 'approve' },
    tools: [{ match: ['mcp__*', 'Bash'], action: 'allow' }],
  };
  await stack.json('POST', '/v1/policies', { name: AGENT, yaml: JSON.stringify(content) });
  await stack.json('POST', '/v1/agents', {
    name: AGENT,
    harness: 'replay',
    policy: AGENT,
    connection_requirements: [
      { slot: 'kb', connector: { url }, required_tools: ['echo'], binding_mode: 'organization' },
    ],
  });
  return Promise.all(Array.from({ length: RUNS }, () => startRun(stack)));
}

async function startRun(stack: BenchStack): Promise<LiveRun> {
  const task = JSON.stringify(Array.from({ length: 10 }, () => ({ tool: 'Bash', input: { command: 'sleep 60' } })));
  const { session } = await stack.json<{ session: { id: string } }>('POST', '/v1/sessions', { agent: AGENT, task });
  for (let looks = 0; looks < 600; looks += 1) {
    const read = await stack.json<{ session: { status: string } }>('GET', `/v1/sessions/${session.id}`);
    if (read.session.status === 'running') return { runId: session.id, token: await mintToken(stack, session.id) };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('a run of the benchmark did not start');
}

async function mintToken(stack: BenchStack, runId: string): Promise<string> {
  const token = `svc_sess_${randomBytes(32).toString('hex')}`;
  await stack.owner.query(
    `insert into api_tokens (id, tenant_id, session_id, audience, token_sha256, expires_at)
     select gen_random_uuid(), tenant_id, id, 'tool', $2, now() + interval '1 hour' from sessions where id = $1`,
    [runId, hash('sha256', token, 'hex')],
  );
  return token;
}

function callBrokered(stack: BenchStack, runs: LiveRun[], loop: Omit<Loop, 'call'>): Promise<LoopResult> {
  const request = (caller: number) => {
    const call = { tool_call_id: `bkr_${uuidv7()}`, tool: 'mcp__kb__echo', input: { message: 'hello' } };
    return postRequest('/internal/tools/call', runs[caller % RUNS]!.token, JSON.stringify(call));
  };
  return exchangeLoop(stack.port, loop, request, ({ body }) => body.startsWith('{"ok":true'));
}

function callDirectly(port: number, loop: Omit<Loop, 'call'>): Promise<LoopResult> {
  const params = { name: 'echo', arguments: { message: 'hello' } };
  const request = postRequest('/mcp', 'none', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  return exchangeLoop(
    port,
    loop,
    () => request,
    ({ body }) => body.includes('"result"'),
  );
}
