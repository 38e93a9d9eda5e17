import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { NAME, TunnelBench } from '../../support/network/tunnel-bench.js';
import { createNetworkedRun, type Granted } from '../../support/network/tunnels.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import { until } from '../../support/time/until.js';

let bench: TunnelBench;
/** What it knows it knows of runs, and each test has its own. */
let plane: PlaneApp;

beforeAll(async () => {
  bench = await TunnelBench.open();
  plane = await bench.start();
});
afterAll(async () => {
  await bench.reset();
  await bench.close();
});

describe('a refused connection', () => {
  it.each<[string, string, string, Granted | undefined]>([
    ['offline', `${NAME}:443`, 'this run is offline; packages.outside.example:443 was not reached', undefined],
    [
      'target',
      'other.example:443',
      `is not in this run's network (allowed: ${NAME}:443)`,
      { targets: [`${NAME}:443`] },
    ],
    ['target', `${NAME}:444`, 'is not in this run’s network'.replace('’', "'"), { targets: [`${NAME}:443`] }],
    ['target', 'a.b.wide.example.com:443', 'is not in', { targets: ['*.wide.example.com:443'] }],
    ['literal', '127.0.0.1:443', 'connections go to names, not to addresses', { targets: [`${NAME}:443`] }],
    ['literal', '[::1]:443', 'connections go to names', { targets: [`${NAME}:443`] }],
    ['literal', '2130706433:443', 'connections go to names', { targets: [`${NAME}:443`] }],
    ['literal', '0x7f.1:443', 'connections go to names', { targets: [`${NAME}:443`] }],
    ['grant', `${NAME}:443`, 'network grant of this run is not active', { targets: [`${NAME}:443`], grant: 'pending' }],
    ['grant', `${NAME}:443`, 'network grant of this run is not active', { targets: [`${NAME}:443`], grant: 'revoked' }],
    ['expired', `${NAME}:443`, 'network grant of this run ended at', { targets: [`${NAME}:443`], endsInSecs: -1 }],
    [
      'address',
      'inside.outside.example:443',
      'private/loopback/link-local address',
      { targets: ['inside.outside.example:443'] },
    ],
    [
      'address',
      'mixed.outside.example:443',
      'private/loopback/link-local address',
      { targets: ['mixed.outside.example:443'] },
    ],
    [
      ...(['policy', `${NAME}:443`, 'the policy of this run denies'] as const),
      {
        targets: ['*.outside.example:443'],
        denied: [
          { kind: 'dns', pattern: { kind: 'exact', name: NAME }, ports: [{ from: 1, to: 65535 }], protocol: 'tcp' },
        ],
      },
    ],
    [
      ...(['address', `${NAME}:443`, 'private/loopback/link-local address'] as const),
      {
        targets: ['*.outside.example:443'],
        denied: [{ kind: 'cidr', cidr: '127.0.0.0/8', ports: [{ from: 1, to: 65535 }], protocol: 'tcp' }],
      },
    ],
  ])('says why, and is on the record (%s: %s)', async (rule, target, words, options) => {
    const run = options === undefined ? await createGatedRun(bench.db) : await createNetworkedRun(bench.db, options);
    for (let time = 0; time < 3; time += 1) {
      const { status, error } = await bench.ask(plane, run, target);
      expect({ status, error }).toEqual({ status: 403, error: expect.stringContaining(words) });
    }
    const port = Number(target.split(':').at(-1));
    const name = target.slice(0, target.lastIndexOf(':'));
    const data = { target: name, port, protocol: 'tcp', decision: 'denied', rule };
    expect((await bench.events(run)).filter(({ type }) => type === 'network.denied')).toEqual([
      { type: 'network.denied', data },
    ]);
    const denied = await until(
      async () => (await bench.flows(run)).filter(({ verdict }) => verdict === 'denied'),
      ([row]) => row?.connections === 3,
    );
    expect(denied).toMatchObject([{ target: name, port, connections: 3 }]);
  });

  it('does not say why a host was not reached', async () => {
    const closed = createServer();
    closed.listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    await new Promise((done) => closed.close(done));
    const run = await createNetworkedRun(bench.db, {
      targets: [`${NAME}:${port}`, `nowhere.outside.example:${port}`],
    });
    for (const name of [NAME, 'nowhere.outside.example'])
      expect(await bench.ask(plane, run, `${name}:${port}`)).toMatchObject({
        ...{ status: 502, error: `${name}:${port} could not be reached` },
      });
  });

  it('is told of in events twenty times, then counted', async () => {
    const ending = await bench.start();
    const run = await createNetworkedRun(bench.db, { targets: [`${NAME}:443`], status: 'running' });
    for (let index = 0; index < 30; index += 1) await bench.ask(ending, run, `h${index % 25}.example:443`);
    expect((await bench.events(run)).filter(({ type }) => type === 'network.denied')).toHaveLength(20);
    await bench.stop(ending);
    await bench.conclude(run);
    const [rollup] = (await bench.events(run)).filter(({ type }) => type === 'network.denied.rollup');
    // Five targets beyond the twenty, and five that asked again.
    expect(rollup?.data).toMatchObject({ suppressed: 10, distinct_targets: 10, targets_truncated: false });
  });
});
