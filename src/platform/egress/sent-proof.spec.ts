import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SeededRandom } from '../../../test/support/random/seeded-random.js';
import { Egress } from './egress.js';
import { EgressError } from './egress-error.js';

const CALLS = Number(process.env['TEST_EGRESS_CALLS'] ?? 600);
const SEED = Number(process.env['TEST_EGRESS_SEED'] ?? 1);

describe(`"not sent", over ${CALLS} calls to a host that misbehaves (seed ${SEED})`, () => {
  const random = new SeededRandom(SEED);
  const upTo = (max: number): number => Math.floor(random.next() * max);
  const arrived = new Map<string, number>();
  let server: Server;
  let egress: Egress;
  let origin: string;

  beforeAll(async () => {
    server = createServer({ keepAliveTimeout: 2 }, (request, response) => {
      const id = request.url ?? '';
      arrived.set(id, (arrived.get(id) ?? 0) + 1);
      const [, , mode] = id.split('/');
      if (mode === 'reset') request.socket.resetAndDestroy();
      else if (mode === 'silent') return;
      else if (mode === 'partial')
        response.writeHead(200, { 'content-length': 10 }).write('half', () => request.socket.destroy());
      else if (mode === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end();
      else response.end('whole');
    });
    server.on('connection', (socket) => {
      if (upTo(10) === 0) socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://host.example:${(server.address() as AddressInfo).port}`;
    const resolve = async (): Promise<string[]> => {
      await delay(upTo(15));
      if (upTo(15) === 0) throw new Error('no answer');
      // Nobody listens at the second one.
      return upTo(10) === 0 ? ['127.0.0.77'] : ['127.0.0.1'];
    };
    egress = new Egress({ allowCidrs: ['127.0.0.0/8'], proxy: null }, { resolve });
  });
  afterAll(async () => {
    await egress.close();
    server.closeAllConnections();
    server.close();
  });

  async function attempt(index: number): Promise<{ id: string; sent: boolean; reason: string }> {
    const mode = ['ok', 'ok', 'reset', 'silent', 'partial', 'redirect'][upTo(6)]!;
    const id = `/${index}/${mode}`;
    const given = new AbortController();
    if (upTo(3) === 0) setTimeout(() => given.abort(), upTo(25));
    const request = {
      method: 'POST',
      url: origin + id,
      headers: {},
      body: '{}',
      maxBodyBytes: 100,
      redirects: 'refuse',
    } as const;
    try {
      const answer = await egress.guarded.request({ ...request, timeoutMs: 5 + upTo(60), signal: given.signal });
      await answer.readBody();
      return { id, sent: true, reason: 'answered' };
    } catch (cause) {
      if (!(cause instanceof EgressError)) throw cause;
      return { id, sent: cause.sent, reason: cause.reason };
    }
  }

  it('CP-160 is only said of calls that never arrive, and no call arrives twice', async () => {
    const outcomes: Awaited<ReturnType<typeof attempt>>[] = [];
    for (let index = 0; index < CALLS;) {
      const some = Array.from({ length: Math.min(1 + upTo(12), CALLS - index) }, () => attempt(index++));
      outcomes.push(...(await Promise.all(some)));
    }
    // Whatever was still on its way has arrived by the time that a later call is answered.
    await delay(100);
    const unsent = outcomes.filter(({ sent }) => !sent);
    expect(unsent.filter(({ id }) => arrived.has(id))).toEqual([]);
    expect([...arrived].filter(([, times]) => times > 1)).toEqual([]);
    const reasons = new Set(outcomes.map(({ reason }) => reason));
    for (const reason of ['answered', 'aborted', 'timeout', 'connect', 'dns', 'broken', 'redirect'])
      expect(reasons).toContain(reason);
    expect(unsent.length).toBeGreaterThan(CALLS / 50);
  }, 120_000);
});
