import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { v7 as uuidv7 } from 'uuid';
import {
  makePlaneDirectory,
  planeDirectory,
  planeSocketAccepts,
} from '../../../src/platform/host/plane-socket-path.js';
import { createNetworkedRun } from '../../support/network/tunnels.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';
import type { BenchStack } from '../bench-stack.js';
import { forkServer } from '../load/forked-server.js';
import { spreadOf } from '../load/percentiles.js';
import { defaultOrganization, retireRuns } from '../prepared-runs.js';
import { atLeast, atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

/** Loopback, whatever a resolver says. */
const NAME = 'packages.bench.localhost';
const SHARE_OF_BARE = 0.6;
const ADDED_MS = 2;

/** A download of a run over TLS, and what a connection costs, beside a proxy that only carries bytes. */
export const tunnel: BenchRow = {
  name: 'tunnel',
  timeoutMs: 90_000,
  async measure(stack, { quick }) {
    await using source = await forkServer('tls-source');
    await using bare = await forkServer('bare-connect-proxy');
    const target = `${NAME}:${source.port}`;
    const run = await createNetworkedRun(stack.db, {
      ...{ targets: [target], in: await defaultOrganization(stack), hostId: uuidv7() },
    });
    await using ours = await forkServer('run-proxy', await planeOf(stack, run));
    const [megabytes, rounds, opens] = quick ? [8, 1, 10] : [96, 15, 300];
    const rates: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
    const times: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
    // Many short turns, so that what else the machine does falls on both alike; the first one warms them.
    for (let round = -1; round < rounds; round += 1) {
      const [theirs, own] = [
        await download(bare.port, target, megabytes),
        await download(ours.port, target, megabytes),
      ];
      if (round < 0) continue;
      rates.bare.push(theirs);
      rates.ours.push(own);
    }
    for (let open = 0; open < opens; open += 1) {
      times.bare.push(await timeToOpen(bare.port, target));
      times.ours.push(await timeToOpen(ours.port, target));
    }
    await retireRuns(stack, [run]);
    const [bareRate, ourRate] = [median(rates.bare), median(rates.ours)];
    const added = spreadOf(times.ours).p50 - spreadOf(times.bare).p50;
    return {
      values: {
        throughput: ourRate,
        share: ourRate / bareRate,
        connect_added_p50: added,
        connect_p99: spreadOf(times.ours).p99,
      },
      unit: { throughput: 'MB/s', share: 'of bare', connect_added_p50: 'ms', connect_p99: 'ms' },
      baseline: { throughput: bareRate, connect_p50: spreadOf(times.bare).p50 },
      targets: [
        atLeast('throughput', ourRate, SHARE_OF_BARE * bareRate, 'MB/s'),
        atMost('added connection p50', added, ADDED_MS, 'ms'),
      ],
      notes: [
        `${rounds} downloads of ${megabytes} MiB over TLS by one client each way, alternating, medians; ${opens} connections one after the other`,
        'baseline: a bare CONNECT proxy of Node, one hop; ours: the run’s proxy, its plane socket and the API, which are two',
      ],
    };
  },
};

/** The plane socket of the run, as its sandbox has it. */
async function planeOf(stack: BenchStack, run: FixtureRun): Promise<{ socketPath: string; token: string }> {
  await makePlaneDirectory(stack.dataDir, run.runId);
  await until(
    () => planeSocketAccepts(stack.dataDir, run.runId, 500),
    (accepts) => accepts,
  );
  return { socketPath: join(planeDirectory(stack.dataDir, run.runId), 'plane.sock'), token: run.tokens.tool };
}

async function openThrough(port: number, target: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`);
  let head = '';
  while (!head.includes('\r\n\r\n')) head += String((await once(socket, 'data'))[0]);
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`the proxy answered ${head}`);
  return socket;
}

async function timeToOpen(port: number, target: string): Promise<number> {
  const began = performance.now();
  const socket = await openThrough(port, target);
  const took = performance.now() - began;
  socket.destroy();
  return took;
}

/** @returns megabytes a second */
async function download(port: number, target: string, megabytes: number): Promise<number> {
  const socket = await openThrough(port, target);
  const tls = connectTls({ socket, servername: NAME, rejectUnauthorized: false });
  await once(tls, 'secureConnect');
  const began = performance.now();
  tls.write(`GET /${megabytes} HTTP/1.1\r\nhost: ${target}\r\nconnection: close\r\n\r\n`);
  let received = 0;
  tls.on('data', (chunk: Buffer) => (received += chunk.length));
  await once(tls, 'end');
  if (received < megabytes << 20) throw new Error(`${received} bytes of ${megabytes} MiB arrived`);
  return received / 1000 / (performance.now() - began);
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
