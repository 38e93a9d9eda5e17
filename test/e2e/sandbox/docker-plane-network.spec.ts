import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { describeWithEngine } from '../../support/engine/describe-with-engine.js';
import { MAKE_WITHIN_MS, startEngine } from '../../support/engine/image-store.js';
import type { PodmanService } from '../../support/engine/podman-service.js';
import { TEST_IMAGE } from '../../support/engine/test-image.js';
import { engineSettings } from '../../support/engine/test-provider.js';
import { freePorts } from '../../support/installation/free-ports.js';
import { LiveStack } from '../../support/installation/live-stack.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { SandboxLab } from './support/sandbox-lab.js';

jest.setTimeout(240_000);

/** Asks the plane's address for paths, and tries every other address and port for a listener of the host. */
const LOOK = `const net = require('node:net');
const own = require('node:os').networkInterfaces().eth0[0].address;
const near = (last) => own.replace(/\\d+$/, String(last));
const [paths, port, hosts] = [process.argv[2].split(','), Number(process.argv[3]), process.argv[4].split(',')];
const dial = (host, port) => new Promise((done) => {
  const socket = net.connect({ host, port });
  const end = (text) => { socket.destroy(); done(text); };
  socket.on('connect', () => end('open')).on('error', (error) => end(error.code));
  setTimeout(() => end('silence'), 1500);
});
(async () => {
  const ask = (path) => fetch('http://' + near(2) + ':8788' + path, { method: path.startsWith('/v1') ? 'GET' : 'POST' });
  for (const path of paths) console.log(path, (await ask(path)).status);
  const places = [...hosts, near(1), near(2), near(254)].map((host) => [host, port]);
  for (const [host, at] of [...places, [near(2), 22], [near(2), 8787], ['10.88.0.1', 22]]) console.log(host, await dial(host, at));
  console.log('names', await require('node:dns').promises.resolve4('names.outside.example').catch((error) => error.code));
})();`;

describeWithEngine('sandboxes on a network that leads to the runner plane alone', () => {
  let engine: PodmanService;
  let recorder: Server;
  let heard = 0;

  beforeAll(async () => {
    engine = await startEngine();
    recorder = createServer((socket) => {
      heard += 1;
      socket.destroy();
    }).listen(0, '0.0.0.0');
    await once(recorder, 'listening');
  }, MAKE_WITHIN_MS);

  afterAll(async () => {
    recorder?.close();
    await engine?.[Symbol.asyncDispose]();
  }, 120_000);

  const ourNetworks = (): string =>
    engine.podman('network', 'ls', '--filter', 'label=service.managed', '--format', '{{.Name}}').trim();

  /** @returns what a run saw from inside, line by line */
  const look = async (stack: LiveStack): Promise<string[]> => {
    await stack.createReplayAgent('looker', 'unrestricted');
    const hosts = Object.values(networkInterfaces())
      .flatMap((addresses = []) => addresses)
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    const { port } = recorder.address() as AddressInfo;
    const argv = ['/v1/sessions,/internal/heartbeat', port, hosts.concat('10.88.0.1').join()].join(' ');
    const files = [
      { tool: 'Write', input: { file_path: '/workspace/look.cjs', content: LOOK } },
      { tool: 'Bash', input: { command: `node look.cjs ${argv} > seen.txt 2>&1` } },
    ];
    const run = await stack.startRun('looker', files);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    await expectWholeLedger(stack, run);
    const { artifacts } = await stack.json<{ artifacts: { kind: string; content: string }[] }>(
      'GET',
      `/v1/sessions/${run}/artifacts`,
    );
    const diff = artifacts.find(({ kind }) => kind === 'diff')?.content ?? '';
    const [, seen = ''] = diff.split('+++ b/seen.txt');
    return seen.split('\n').flatMap((line) => /^\+(.*)/.exec(line)?.[1] ?? []);
  };

  const WAYS: [string, string, string[]][] = [
    ['with a listener of its own the runner plane alone is reached', 'SERVICE_INTERNAL_BIND', ['404', '401']],
    ['CP-053 with SERVICE_BIND=0.0.0.0 the public listener is reached', 'SERVICE_BIND', ['401', '401']],
  ];
  it.each(IS_NIGHTLY ? WAYS : WAYS.slice(0, 1))(
    '%s, and nothing else of the host',
    async (_name, variable, [publicStatus, planeStatus]) => {
      const [port] = await freePorts(1);
      const stack = await LiveStack.start({
        ...engineSettings(engine, TEST_IMAGE),
        SERVICE_DOCKER_PLANE: 'network',
        [variable]: `0.0.0.0:${port}`,
      });
      try {
        const before = heard;
        const [first, second, ...others] = await look(stack);
        expect([first, second]).toEqual([`/v1/sessions ${publicStatus}`, `/internal/heartbeat ${planeStatus}`]);
        const names = others.pop();
        expect(others.length).toBeGreaterThanOrEqual(6);
        for (const line of others) expect(line).toMatch(/ (ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|silence)$/);
        expect(names).toMatch(/^names E/);
        expect(heard).toBe(before);
        await stack.until('the engine to be empty', 60_000, () =>
          Promise.resolve(engine.containers().length === 0 && ourNetworks() === '' ? true : undefined),
        );
      } finally {
        await stack.stop();
      }
    },
  );

  it('the recorder records', async () => {
    const before = heard;
    const { port } = recorder.address() as AddressInfo;
    await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    expect(heard).toBe(before + 1);
  });

  it('CP-053 a listener on loopback is no way to the plane: the check says what to set', async () => {
    await using lab = await SandboxLab.open('docker', engine.socket);
    const [loopback, everywhere] = await Promise.all(
      ['127.0.0.1:8787', '0.0.0.0:8787'].map((listener) =>
        lab.perform([{ do: 'check' }], { PROBE_PLANE: 'network', PROBE_LISTENER: listener }),
      ),
    );
    expect(loopback?.[0]?.value).toMatchObject({
      ok: false,
      missing: [expect.stringContaining('set SERVICE_INTERNAL_BIND=0.0.0.0:8788')],
    });
    expect(everywhere?.[0]?.value).toMatchObject({ ok: true, missing: [] });
    expect(ourNetworks()).toBe('');
  });
});
