import { Agent, request as undiciRequest, type Dispatcher } from 'undici';
import { setTimeout as delay } from 'node:timers/promises';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import type { BenchStack } from '../bench-stack.js';
import type { LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { forkServer } from '../load/forked-server.js';
import { postRequest } from '../load/http-connection.js';
import { spreadOf, type Spread } from '../load/percentiles.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import { atLeast, atMost } from '../row.js';
import type { BenchOptions, BenchRow } from './bench-row.js';

const CALLERS = 64;
const RUNS = 32;
const STREAMS = 200;
const FIRST_BYTE_MS = 20;
const BULK_MB = 100;
/** What may be in buffers on the way of a stream that is passed through and not kept. */
const FLAT_MB = 48;

/** The model gateway with metering and budgets on, against a bare undici proxy to the same provider. */
export const modelGateway: BenchRow = {
  name: 'model-gateway',
  timeoutMs: 120_000,
  async measure(stack, options) {
    const budgets = { max_tokens: 1_000_000_000, max_cost_usd: 100_000 };
    const runs = await prepareRuns(stack, RUNS, { budgets });
    const upstream = `http://127.0.0.1:${stack.provider.port}`;
    await using proxy = await forkServer('bare-proxy', { upstream, form: 'request' });
    await using streaming = await forkServer('bare-proxy', { upstream, form: 'stream' });
    const ours = await answersPerSecond(options, stack.port, '/internal/llm/v1/messages', runs);
    const bare = await answersPerSecond(options, proxy.port, '/v1/messages', runs);
    const fastest = await answersPerSecond(options, streaming.port, '/v1/messages', runs);
    const direct = await firstBytes(options, stack.provider.port, '/v1/messages', runs);
    const streamed = await firstBytes(options, stack.port, '/internal/llm/v1/messages', runs);
    const proxied = await firstBytes(options, proxy.port, '/v1/messages', runs);
    const bulk = await bulkMemory(stack, runs[0]!, options);
    await retireRuns(stack, runs);
    const [share, added] = [(ours.perSecond / bare.perSecond) * 100, streamed.p99 - direct.p99];
    return {
      values: {
        per_second: ours.perSecond,
        p99: ours.p99,
        share_of_bare: share,
        share_of_bare_stream: (ours.perSecond / fastest.perSecond) * 100,
        added_first_byte_p50: streamed.p50 - direct.p50,
        added_first_byte_p99: added,
        bulk_growth: bulk.growthMb,
        bulk_mb_per_second: bulk.mbPerSecond,
      },
      unit: {
        per_second: 'requests/s',
        p99: 'ms',
        share_of_bare: '%',
        share_of_bare_stream: '%',
        added_first_byte_p50: 'ms',
        added_first_byte_p99: 'ms',
        bulk_growth: 'MiB',
        bulk_mb_per_second: 'MiB/s',
      },
      baseline: {
        per_second: bare.perSecond,
        p99: bare.p99,
        stream_per_second: fastest.perSecond,
        direct_first_byte_p99: direct.p99,
        bare_added_first_byte_p99: proxied.p99 - direct.p99,
      },
      targets: [
        atLeast('share of a bare undici proxy', share, 35, '%'),
        atMost(`added first byte, p99 at ${STREAMS} streams`, added, 5, 'ms'),
        atMost(`growth over a ${BULK_MB} MB stream`, bulk.growthMb, FLAT_MB, 'MiB'),
      ],
      notes: [
        'each request is reserved and settled in PostgreSQL, two durable commits; the proxy keeps nothing',
        'bare proxy: node:http, undici.request, the body piped; stream: undici.stream into the response',
        '@portkey-ai/gateway is in bench:peers',
      ],
    };
  },
};

function messagesBody(said: string, stream: boolean): string {
  return JSON.stringify({
    model: 'claude-haiku-4-5',
    max_tokens: 1024,
    stream,
    messages: [{ role: 'user', content: said }],
  });
}

function answersPerSecond(
  { quick }: BenchOptions,
  port: number,
  path: string,
  runs: FixtureRun[],
): Promise<LoopResult> {
  const body = messagesBody('answer', false);
  const requests = runs.map((run) => postRequest(path, run.tokens.llm, body));
  // Until both are compiled: over the first ten thousand requests the gateway's processor time per request halves.
  const warmMs = quick ? 300 : 8000;
  return exchangeLoop(
    port,
    { callers: CALLERS, warmMs, ms: quick ? 700 : 3000 },
    (caller) => requests[caller % RUNS]!,
    ({ status }) => status === 200,
  );
}

/** Time to the first byte of an answer while 200 streams are open; each lasts about two seconds, starts are spread evenly. */
async function firstBytes({ quick }: BenchOptions, port: number, path: string, runs: FixtureRun[]): Promise<Spread> {
  const agent = new Agent({ connections: STREAMS, pipelining: 1 });
  const times: number[] = [];
  const body = messagesBody(`stream ${FIRST_BYTE_MS} 10 200`, true);
  const until = performance.now() + (quick ? 2500 : 5500);
  const measureFrom = performance.now() + (quick ? 1500 : 2500);
  await Promise.all(
    Array.from({ length: STREAMS }, async (_, index) => {
      await delay((index * 2000) / STREAMS);
      while (performance.now() < until) {
        const start = performance.now();
        const response = await post(agent, port, path, runs[index % RUNS]!, body);
        let first = 0;
        for await (const chunk of response.body) {
          if (first === 0 && (chunk as Buffer).length > 0) first = performance.now() - start;
        }
        if (start >= measureFrom) times.push(first);
      }
    }),
  );
  await agent.destroy();
  return spreadOf(times);
}

/** How much the API grows while it passes a long answer on, after a shorter one has warmed it. */
async function bulkMemory(stack: BenchStack, run: FixtureRun, { quick }: BenchOptions) {
  const agent = new Agent();
  const pour = async (megabytes: number): Promise<void> => {
    const body = messagesBody(`bulk ${megabytes}`, true);
    const response = await post(agent, stack.port, '/internal/llm/v1/messages', run, body);
    let bytes = 0;
    for await (const chunk of response.body) bytes += (chunk as Buffer).length;
    if (bytes < megabytes * 1024 * 1024) throw new Error(`the stream ended after ${bytes} bytes`);
  };
  await pour(quick ? 5 : 30);
  const before = stack.residentMb('api');
  let peak = before;
  const sampling = setInterval(() => (peak = Math.max(peak, stack.residentMb('api'))), 20);
  const start = performance.now();
  const megabytes = quick ? 10 : BULK_MB;
  await pour(megabytes);
  clearInterval(sampling);
  await agent.destroy();
  return { growthMb: peak - before, mbPerSecond: megabytes / ((performance.now() - start) / 1000) };
}

async function post(
  agent: Agent,
  port: number,
  path: string,
  run: FixtureRun,
  body: string,
): Promise<Dispatcher.ResponseData> {
  const response = await undiciRequest(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'x-api-key': run.tokens.llm, 'content-type': 'application/json' },
    body,
  });
  if (response.statusCode !== 200)
    throw new Error(`a stream was answered ${response.statusCode} ${await response.body.text()}`);
  return response;
}
