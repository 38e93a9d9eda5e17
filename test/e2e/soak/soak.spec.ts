import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from '../../support/installation/free-ports.js';
import { LiveStack, REAL_DURATIONS } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { findGrowth, type Figures } from './growth.js';
import { processFigures, ResourceRecorder } from './resource-recorder.js';
import { SteadyLoad } from './steady-load.js';

/** Minutes under load; the nightly campaign soaks for 120. Without any, a share shows that load and recorder are there. */
const MINUTES = Number(process.env['TEST_SOAK_MINUTES'] ?? 0);
const SHARE_OF_MACHINE = 0.7;
const MEASURED_MS = MINUTES === 0 ? 4_000 : 120_000;
const SOAKED_MS = MINUTES === 0 ? 6_000 : MINUTES * 60_000;
/** Every minute, or more often where there are few of them. */
const SAMPLE_MS = Math.min(60_000, SOAKED_MS / 24);
const LEAK_SAMPLES = 40;
const LEAK_SAMPLE_MS = 75;
/** Few and large, so that a busy machine takes them all before the server ends the first silent client after a minute. */
const CLIENT_SAMPLES = 24;
const CLIENTS_EACH = 8;

describe('under a steady load', () => {
  let stack: LiveStack;
  let recorder: ResourceRecorder;
  let load: SteadyLoad;

  beforeAll(async () => {
    // Two hours of runs are more than memory is for.
    if (MINUTES > 0) delete process.env['TEST_STACKS'];
    const [api = 0, worker = 0] = await freePorts(2);
    stack = await LiveStack.start({
      // A busy machine would not finish the steps of a workflow within the durations of other tests, and begin them again and again.
      ...REAL_DURATIONS,
      SERVICE_METRICS_BIND: `127.0.0.1:${api}`,
      SERVICE_WORKER_METRICS_BIND: `127.0.0.1:${worker}`,
    });
    recorder = new ResourceRecorder(stack, StackDatabase.of(stack), { api, worker });
    load = await SteadyLoad.prepare(stack);
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  /** Samples until the work is done; the work is told to end when a sample fails. */
  async function watch(work: (signal: AbortSignal) => Promise<number>): Promise<{ samples: Figures[]; begun: number }> {
    const samples: Figures[] = [];
    const done = new AbortController();
    const giveUp = new AbortController();
    const working = work(giveUp.signal).finally(() => done.abort());
    // It may fail while a sample is being taken; it is awaited below.
    working.catch(() => undefined);
    try {
      while (!done.signal.aborted) {
        samples.push(await recorder.sample());
        await Promise.race([working, delay(SAMPLE_MS)]);
      }
    } catch (cause) {
      giveUp.abort();
      await Promise.allSettled([working]);
      throw cause;
    }
    return { samples, begun: await working };
  }

  it(
    `proof 10: memory, handles and connections stay flat at 70 % of what the machine does, for ${SOAKED_MS / 1000} s`,
    async () => {
      const most = await load.measure(MEASURED_MS);
      expect(most).toBeGreaterThan(0);
      const pace = SHARE_OF_MACHINE * most;
      const { samples, begun } = await watch((signal) => load.pace(pace, SOAKED_MS, signal));
      expect(begun).toBeGreaterThan(0.8 * pace * (SOAKED_MS / 1000));
      for (const figure of Object.values(samples[0] ?? {})) expect(figure).toBeGreaterThan(0);
      // Seconds after its start a process still fills its caches.
      if (MINUTES === 0) return;
      console.info({ most, pace, runs: begun }, samples.at(samples.length / 2), samples.at(-1));
      expect(findGrowth(samples)).toEqual([]);
    },
    MEASURED_MS + SOAKED_MS + 300_000,
  );

  it('proof 10: clients that are never let go are noticed as handles of the API', async () => {
    const sockets: Socket[] = [];
    const samples: Figures[] = [];
    try {
      for (let sample = 0; sample < CLIENT_SAMPLES; sample += 1) {
        for (let count = 0; count < CLIENTS_EACH; count += 1) sockets.push(await openSocket(new URL(stack.url)));
        samples.push(await recorder.sample());
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    const grown = findGrowth(samples).map(({ figure }) => figure);
    expect(grown).toEqual(expect.arrayContaining(['api.descriptors', 'api.resources']));
    expect(grown.filter((figure) => /^(worker\.(descriptors|resources)|connections\.)/.test(figure))).toEqual([]);
  });
});

describe('the recorder', () => {
  it.each([
    ['leaks', ['process.resident', 'process.descriptors']],
    ['keeps nothing', []],
  ])('proof 10: tells of a process that %s', async (manner, grown) => {
    const program = fileURLToPath(new URL('./leaking.mjs', import.meta.url));
    const child = spawn(process.execPath, [program, manner], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const samples: Figures[] = [];
      for (let sample = 0; sample < LEAK_SAMPLES; sample += 1) {
        await delay(LEAK_SAMPLE_MS);
        samples.push(processFigures('process', child.pid ?? 0));
      }
      expect(findGrowth(samples).map(({ figure }) => figure)).toEqual(grown);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each(['api.resident', 'worker.heap', 'api.resources', 'connections.all'])(
    'proof 10: tells a slow leak of %s from the ups and downs of a garbage collector',
    (figure) => {
      const base = figure.endsWith('resident') || figure.endsWith('heap') ? 200 * 1024 * 1024 : 40;
      const wave = figure.startsWith('connections') ? 0 : base * 0.08;
      const series = (gain: number): Figures[] =>
        Array.from({ length: 120 }, (_, index) => ({ [figure]: base + (index % 7) * (wave / 7) + index * gain }));
      expect(findGrowth(series(0))).toEqual([]);
      expect(findGrowth(series(base * 0.01))).toMatchObject([{ figure }]);
    },
  );

  it('proof 10: refuses samples that lack a figure', () => {
    const samples = Array.from({ length: 12 }, (_, index) => (index === 11 ? {} : { 'api.heap': 1 }));
    expect(() => findGrowth(samples)).toThrow('a sample lacks api.heap');
  });
});

async function openSocket({ hostname, port }: URL): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  // A server that resets what it no longer waits for must not end the test.
  socket.on('error', () => undefined);
  return socket;
}
