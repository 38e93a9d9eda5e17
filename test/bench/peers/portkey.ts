import { spawn } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchStack } from '../bench-stack.js';
import { closedLoop, type LoopResult } from '../load/closed-loop.js';
import { HttpConnection, postRequest } from '../load/http-connection.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import { atLeast, type RowFindings } from '../row.js';
import { versionOf } from './installed-peers.js';

const CALLERS = 64;
const MEASURED_MS = 4000;
const BODY = JSON.stringify({
  model: 'claude-haiku-4-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'answer' }],
});

/** Whole answers a second from the same provider: ours reserves and settles each in PostgreSQL, the peer passes them on. */
export async function compareGateways(stack: BenchStack, folder: string): Promise<RowFindings> {
  const runs = await prepareRuns(stack, 32, { budgets: { max_tokens: 1_000_000_000, max_cost_usd: 100_000 } });
  const ours = await load(stack.port, (caller) =>
    postRequest('/internal/llm/v1/messages', runs[caller % runs.length]!.tokens.llm, BODY),
  );
  await retireRuns(stack, runs);
  const port = await freePort();
  const argv = [join(folder, 'build', 'start-server.js'), `--port=${port}`, '--headless'];
  const peer = spawn(process.execPath, argv, { stdio: 'ignore' });
  try {
    await untilOpen(port);
    const request = peerRequest(stack.provider.port);
    const theirs = await load(port, () => request);
    const times = ours.perSecond / theirs.perSecond;
    return {
      values: { per_second: ours.perSecond, p99: ours.p99, times_faster: times },
      unit: { per_second: 'requests/s', p99: 'ms', times_faster: '×' },
      baseline: { per_second: theirs.perSecond, p99: theirs.p99 },
      targets: [atLeast('times as many requests', times, 2, '×')],
      notes: [
        `${versionOf('@portkey-ai/gateway')}, which keeps no budget; LiteLLM is not measured: it is no npm package`,
      ],
    };
  } finally {
    peer.kill('SIGKILL');
  }
}

function peerRequest(providerPort: number): string {
  const headers = [
    'x-portkey-provider: anthropic',
    `x-portkey-custom-host: http://127.0.0.1:${providerPort}/v1`,
    'x-api-key: bench',
  ];
  return postRequest('/v1/messages', 'bench', BODY).replace('\r\n\r\n', `\r\n${headers.join('\r\n')}\r\n\r\n`);
}

async function load(port: number, request: (caller: number) => string): Promise<LoopResult> {
  const connections = await Promise.all(Array.from({ length: CALLERS }, () => HttpConnection.open(port)));
  try {
    return await closedLoop({
      callers: CALLERS,
      warmMs: 2000,
      ms: MEASURED_MS,
      call: async (caller) => {
        const { status, body } = await connections[caller]!.exchange(request(caller));
        if (status !== 200) throw new Error(`a model request was answered ${status} ${body}`);
      },
    });
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const open = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (open) return;
    await delay(100);
  }
  throw new Error('the gateway of the peer did not start');
}
