import { request, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import type { BenchStack } from '../bench-stack.js';
import { forkServer } from '../load/forked-server.js';
import { spreadOf, type Spread } from '../load/percentiles.js';
import { prepareRuns, retireRuns } from '../prepared-runs.js';
import { atMost } from '../row.js';
import type { BenchRow } from './bench-row.js';

const STREAMS = 500;
const RUNS = 50;
const EVENTS_PER_SECOND = 100;

/** Event → all subscribers: appended by another process than the one that serves the streams. */
export const eventStreams: BenchRow = {
  name: 'event-streams',
  timeoutMs: 60_000,
  async measure(stack, { quick }) {
    const events = quick ? 100 : 600;
    const runs = await prepareRuns(stack, RUNS, {});
    const ours = await measureProduct(stack, runs, events);
    const listeners = await countListeners(stack);
    await retireRuns(stack, runs);
    const baseline = await measureBare(stack, events);
    return {
      values: { last_p50: ours.p50, last_p99: ours.p99, last_max: ours.max, listeners },
      unit: { last_p50: 'ms', last_p99: 'ms', last_max: 'ms', listeners: 'connections' },
      baseline: { last_p50: baseline.p50, last_p99: baseline.p99, last_max: baseline.max },
      targets: [
        atMost('p99 until the last of 10 subscribers has it', ours.p99, 50, 'ms'),
        atMost('listening connections of the API', listeners, 1, ''),
      ],
      notes: [
        `${STREAMS} streams on ${RUNS} runs, ${EVENTS_PER_SECOND} events/s; time from the call that appends to the last of the run's subscribers`,
        'baseline: one LISTEN connection whose text goes to as many sockets, nothing read from a ledger',
      ],
    };
  },
};

/** Notes when the last subscriber of a topic has an event. */
class Arrivals {
  private readonly awaited = new Map<string, { left: number; sentAt: number }>();
  readonly times: number[] = [];

  expect(key: string, count: number, sentAt: number): void {
    this.awaited.set(key, { left: count, sentAt });
  }

  arrived(key: string): void {
    const one = this.awaited.get(key);
    if (one === undefined || (one.left -= 1) > 0) return;
    this.times.push(performance.now() - one.sentAt);
    this.awaited.delete(key);
  }

  async all(): Promise<Spread> {
    for (let waits = 0; this.awaited.size > 0; waits += 1) {
      if (waits > 500) throw new Error(`${this.awaited.size} events did not reach all subscribers`);
      await delay(10);
    }
    return spreadOf(this.times);
  }
}

async function measureProduct(stack: BenchStack, runs: FixtureRun[], events: number): Promise<Spread> {
  const arrivals = new Arrivals();
  const headers = { authorization: `Bearer ${stack.adminToken}` };
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => {
      const { runId } = runs[index % RUNS]!;
      const path = `/v1/sessions/${runId}/events/stream`;
      return subscribe(stack.port, path, headers, (seq) => arrivals.arrived(`${runId} ${seq}`));
    }),
  );
  const seqs = new Map<string, number>();
  await paced(events, (index) => {
    const { organizationId, runId } = runs[index % RUNS]!;
    const seq = (seqs.get(runId) ?? 0) + 1;
    seqs.set(runId, seq);
    arrivals.expect(`${runId} ${seq}`, STREAMS / RUNS, performance.now());
    const data = { role: 'assistant' as const, text: `event ${index}` };
    return stack.db.append(organizationId, runId, [{ actor: 'agent', type: 'agent.message', data }]);
  });
  const spread = await arrivals.all();
  for (const stream of streams) stream.destroy();
  return spread;
}

async function measureBare(stack: BenchStack, events: number): Promise<Spread> {
  const arrivals = new Arrivals();
  await using server = await forkServer('bare-fan-out', { url: stack.databaseUrl });
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) =>
      subscribe(server.port, `/topic${index % RUNS}`, {}, (seq) => arrivals.arrived(`${index % RUNS} ${seq}`)),
    ),
  );
  await paced(events, (index) => {
    arrivals.expect(`${index % RUNS} ${index}`, STREAMS / RUNS, performance.now());
    return stack.owner.query(`select pg_notify('bare_fan_out', $1)`, [`topic${index % RUNS} ${index}`]);
  });
  const spread = await arrivals.all();
  for (const stream of streams) stream.destroy();
  return spread;
}

/** Events at an even pace, whatever becomes of the earlier ones. The first run of each topic is part of the measurement. */
async function paced(events: number, send: (index: number) => Promise<unknown>): Promise<void> {
  const start = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let index = 0; index < events; index += 1) {
    const wait = start + (index * 1000) / EVENTS_PER_SECOND - performance.now();
    if (wait > 0) await delay(wait);
    sent.push(send(index));
  }
  await Promise.all(sent);
}

function subscribe(
  port: number,
  path: string,
  headers: Record<string, string>,
  onEvent: (seq: string) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`a stream answered ${response.statusCode}`));
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        for (const [, seq] of chunk.matchAll(/^id: (\d+)$/gm)) onEvent(seq!);
      });
      response.on('error', () => undefined);
      resolve(response);
    });
    asking.once('error', reject);
    asking.end();
  });
}

async function countListeners(stack: BenchStack): Promise<number> {
  const { rows } = await stack.owner.query<{ listeners: string }>(
    `select count(*) as listeners from pg_stat_activity where application_name = 'sandgate-api-listen'`,
  );
  return Number(rows[0]?.listeners);
}
