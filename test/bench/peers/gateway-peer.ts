import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BenchStack } from '../bench-stack.js';
import type { LoopResult } from '../load/closed-loop.js';
import { exchangeLoop } from '../load/exchange-loop.js';
import { postRequest } from '../load/http-connection.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import { atLeast, type RowFindings } from '../row.js';

const CALLERS = 64;
/** Until both are compiled, as in the row `model-gateway`: over its first ten thousand requests a gateway gets much cheaper. */
const WARM_MS = 8000;
const MEASURED_MS = 4000;
const START_MS = 60_000;
/** The request of both sides, so that both pass the same bytes on to the same provider. */
const BODY = JSON.stringify({
  model: 'claude-haiku-4-5',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'answer' }],
});

/** A model gateway of somebody else, started as its manual says, with one model of the scripted provider. */
export interface GatewayPeer {
  name: string;
  /** How many times its requests a second are ours to reach. */
  times: number;
  /** What it keeps of a request, for whoever reads the figures. */
  keeps: string;
  /** The program that serves it on 127.0.0.1; `folder` is empty and goes with it. */
  command(ports: { own: number; provider: number }, folder: string): { program: string; argv: string[] };
  env: Record<string, string>;
  /** Headers beside those of every request. */
  headers(providerPort: number): string[];
}

/** Whole answers a second from the same provider: ours reserves and settles each in PostgreSQL, then the peer's. */
export async function compareGateway(stack: BenchStack, peer: GatewayPeer): Promise<RowFindings> {
  const runs = await prepareRuns(stack, 32, { budgets: { max_tokens: 1_000_000_000, max_cost_usd: 100_000 } });
  const ours = await load(stack.port, (caller) =>
    postRequest('/internal/llm/v1/messages', runs[caller % runs.length]!.tokens.llm, BODY),
  );
  await retireRuns(stack, runs);
  const theirs = await measurePeer(peer, stack.provider.port);
  const times = ours.perSecond / theirs.perSecond;
  return {
    values: { per_second: ours.perSecond, p99: ours.p99, times_faster: times },
    unit: { per_second: 'requests/s', p99: 'ms', times_faster: '×' },
    baseline: { per_second: theirs.perSecond, p99: theirs.p99 },
    targets: [atLeast('times as many requests', times, peer.times, '×')],
    notes: [`${peer.name}, one process as ours; ${peer.keeps}`],
  };
}

async function measurePeer(peer: GatewayPeer, providerPort: number): Promise<LoopResult> {
  const folder = mkdtempSync(join(tmpdir(), 'sgb-'));
  const port = await freePort();
  const { program, argv } = peer.command({ own: port, provider: providerPort }, folder);
  // Nothing of this process's environment: a peer needs none of its secrets.
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, ...peer.env };
  const child = spawn(program, argv, { stdio: 'ignore', cwd: folder, env });
  try {
    await untilOpen(peer.name, port);
    const request = postRequest('/v1/messages', 'bench', BODY).replace(
      '\r\n\r\n',
      ['', ...peer.headers(providerPort)].join('\r\n') + '\r\n\r\n',
    );
    return await load(port, () => request);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function load(port: number, request: (caller: number) => string): Promise<LoopResult> {
  const loop = { callers: CALLERS, warmMs: WARM_MS, ms: MEASURED_MS };
  return exchangeLoop(port, loop, request, ({ status }) => status === 200);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilOpen(name: string, port: number): Promise<void> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const open = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (open) return;
    await delay(100);
  }
  throw new Error(`${name} did not start within a minute`);
}
