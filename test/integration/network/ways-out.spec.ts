import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { Egress } from '../../../src/platform/egress/egress.js';
import { MAKE_WITHIN_MS } from '../../support/engine/image-store.js';
import { TEST_PROVIDER } from '../../support/engine/test-provider.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger } from '../../support/gate/gated-run.js';
import { startConnectProxy, type ConnectProxy } from '../../support/http/connect-proxy.js';
import { NetworkedSandboxes, type Said } from '../../support/network/networked-sandbox.js';
import { createNetworkedRun } from '../../support/network/tunnels.js';
import { IS_NIGHTLY } from '../../support/nightly/nightly.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { NETWORK_PROBES } from '../../e2e/sandbox/probes/network.js';
import type { Probe } from '../../e2e/sandbox/probes/probe.js';
import { openRecorders, type Recorders } from '../../e2e/sandbox/support/recorders.js';
import { CLIENT, waysOut } from './ways.js';

jest.setTimeout(900_000);

const GRANTED = 'packages.outside.example';
const OTHER = 'elsewhere.outside.example';
const ALLOW = [{ match: ['Bash'], action: 'allow' }];
const MIN_WAYS = 60;
/** In a run that is offline `npm test` tries every third way, the nightly campaign all. */
const OFFLINE_ONE_IN = IS_NIGHTLY ? 1 : 3;

/** A host that says CANARY to whoever was not meant to reach it, and counts them. */
interface Place {
  port: number;
  strangers: string[];
  server: Server;
}

let database: TestDatabase;
let folder: string;
let ca: string;
let sandboxes: NetworkedSandboxes;
let plane: PlaneApp;
let recorders: Recorders;
let [granted, plain, other, otherPlain]: Place[] = [];
let files: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sg-ways-'));
  const altNames = [GRANTED, OTHER].map((value) => ({ type: 2 as const, value }));
  const extensions = [
    { name: 'basicConstraints' as const, cA: true },
    { name: 'subjectAltName' as const, altNames },
  ];
  const pems = await generate([{ name: 'commonName', value: GRANTED }], { keyType: 'ec', extensions });
  ca = pems.cert;
  const tls = { key: pems.private, cert: pems.cert };
  makeRepository(folder);
  granted = await place(
    (listener) => createHttps(tls, listener),
    (name) => name === GRANTED,
  );
  plain = await place(
    (listener) => createHttp(listener),
    (name) => name === GRANTED,
  );
  other = await place(
    (listener) => createHttps(tls, listener),
    () => false,
  );
  otherPlain = await place(
    (listener) => createHttp(listener),
    () => false,
  );
  database = await createTestDatabase();
  sandboxes = await NetworkedSandboxes.open();
  const resolve = (name: string): Promise<string[]> =>
    name.endsWith('.outside.example') ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error('no such name'));
  const egress = new Egress({ allowCidrs: ['127.0.0.1/32'], proxy: null }, { resolve });
  plane = await startPlane(
    database,
    { SERVICE_LIMIT_TUNNEL_FIRST_BYTES_MS: '2000' },
    { dataDir: sandboxes.dataDir, egress },
  );
  recorders = await openRecorders(folder, {});
  files = { 'client.py': CLIENT, 'ca.pem': ca };
}, MAKE_WITHIN_MS);

afterAll(async () => {
  await plane?.close();
  await sandboxes?.close();
  await recorders?.[Symbol.asyncDispose]();
  for (const one of [granted, plain, other, otherPlain]) {
    one?.server.closeAllConnections();
    one?.server.close();
  }
  await database?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** @param isMeant judges the names under which a request came: SNI and host */
async function place(make: (listener: RequestListener) => Server, isMeant: (name: string) => boolean): Promise<Place> {
  const server = make((request, response) => {
    const sni = (request.socket as Partial<TLSSocket>).servername;
    const host = (request.headers.host ?? '').split(':')[0] ?? '';
    const names = typeof sni === 'string' ? [sni] : [host];
    const repository = join(folder, 'served', new URL(request.url ?? '/', 'http://x').pathname);
    if (!names.every(isMeant)) {
      one.strangers.push(`${names.join()} ${request.url}`);
      response.end('CANARY');
    } else if (existsSync(repository) && statSync(repository).isFile()) response.end(readFileSync(repository));
    else if (request.url === '/' || request.url === '/hello') response.end('hello from outside\n');
    else response.writeHead(404).end();
  });
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nCANARY'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const one: Place = { port: (server.address() as AddressInfo).port, strangers: [], server };
  return one;
}

/** A repository as any web server can serve it. */
function makeRepository(base: string): void {
  const work = join(base, 'work');
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: base, stdio: 'ignore' });
  git('init', '-q', work);
  writeFileSync(join(work, 'README'), 'fetched through a tunnel\n');
  git('-C', work, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'add', '.');
  git('-C', work, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first');
  git('clone', '-q', '--bare', work, join(base, 'served.git'));
  git('-C', join(base, 'served.git'), 'update-server-info');
  cpSync(join(base, 'served.git'), join(base, 'served', 'repo.git'), { recursive: true });
}

const at = (name: string, one: Place | undefined): string => `${name}:${one?.port ?? 0}`;

function places(): Parameters<typeof waysOut>[0] {
  return {
    granted: at(GRANTED, granted),
    plain: at(GRANTED, plain),
    other: at(OTHER, other),
    otherPlain: at(OTHER, otherPlain),
  };
}

const grantedRun = (): Promise<FixtureRun> =>
  createNetworkedRun(database.db, { targets: [places().granted, places().plain], tools: ALLOW, harness: 'replay' });

/** The attempt as a tool would make it. */
function commandOf(probe: Probe, index: number): { command: string; file: [string, string] } {
  const [program, ending] = { node: ['node', 'cjs'], sh: ['sh', 'sh'], perl: ['perl', 'pl'] }[probe.interpreter] ?? [];
  const name = `probe-${index}.${ending}`;
  return { command: `timeout 20 ${program} ${name}`, file: [name, probe.code] };
}

describe('common tools in a sandbox', () => {
  it('reach what the run was granted, by its name', async () => {
    const run = await grantedRun();
    const url = `https://${places().granted}`;
    const said = await sandboxes.run(
      database.db,
      run,
      [
        `curl -s --cacert ca.pem ${url}/hello`,
        `curl -s http://${places().plain}/hello`,
        `curl -s -p http://${places().plain}/hello`,
        `GIT_SSL_CAINFO=$PWD/ca.pem git clone -q ${url}/repo.git cloned && cat cloned/README`,
        `SSL_CERT_FILE=ca.pem python3 -c "import urllib.request as u; print(u.urlopen('${url}/hello').read().decode())"`,
        `python3 -c "import urllib.request as u; print(u.urlopen('http://${places().plain}/hello').read().decode())"`,
        `NODE_EXTRA_CA_CERTS=ca.pem node -e "fetch('${url}/hello').then(r => r.text()).then(console.log)"`,
        `node -e "require('http').get('http://${places().plain}/hello', r => r.pipe(process.stdout))"`,
      ],
      files,
    );
    expect(said.map(({ text }) => text.trim())).toEqual([
      ...['hello from outside', 'hello from outside', 'hello from outside', 'fetched through a tunnel'],
      ...['hello from outside', 'hello from outside', 'hello from outside', 'hello from outside'],
    ]);
    const events = (await readLedger(database.db, run)).filter(({ type }) => type.startsWith('network.'));
    expect(events).toMatchObject([
      { type: 'network.allowed', data: { target: GRANTED, port: granted?.port } },
      { type: 'network.allowed', data: { target: GRANTED, port: plain?.port } },
    ]);
  });

  it('are told why they reached nothing', async () => {
    const run = await grantedRun();
    const [said] = await sandboxes.run(database.db, run, [`curl -sS https://${places().other}/`], files);
    expect(said?.text).toContain('403');
    const rules = (await readLedger(database.db, run)).filter(({ type }) => type === 'network.denied');
    expect(rules.map(({ data }) => data['rule'])).toEqual(['target']);
  });
});

describe.each(['granted', 'offline'])(`ways out of a sandbox of ${TEST_PROVIDER} whose run is %s`, (mode) => {
  it('proof 16: lead nowhere that nobody allowed, and work where nothing holds them', async () => {
    const ways = waysOut(places());
    const probes = NETWORK_PROBES.map(commandOf);
    const names = [...ways, ...NETWORK_PROBES].map(({ name }) => name);
    const every = [...ways, ...probes].map(({ command }, index) => ({ name: names[index], command }));
    expect(every.length).toBeGreaterThanOrEqual(MIN_WAYS);
    const all = every.filter((_, index) => mode === 'granted' || index % OFFLINE_ONE_IN === 0);
    const run =
      mode === 'granted' ? await grantedRun() : await createGatedRun(database.db, { tools: ALLOW, harness: 'replay' });
    const before = recorders.hits();
    const exported = Object.entries(recorders.env).map(([name, value]) => `export ${name}='${value}'; `);
    const said = await sandboxes.run(
      database.db,
      run,
      all.map(({ command }) => exported.join('') + command),
      { ...files, ...Object.fromEntries(probes.map(({ file }) => file)) },
    );
    const through = said.flatMap(({ text }, index) => (/CANARY|^REACHED/m.test(text) ? [all[index]?.name] : []));
    expect(through).toEqual([]);
    expect([granted, plain, other, otherPlain].flatMap((one) => one?.strangers ?? [])).toEqual([]);
    expect(recorders.hits()).toBe(before);
    console.info(`${all.length} ways out of a run that is ${mode}: none`);
  });
});

describe('the same ways where nothing holds them', () => {
  let open: ConnectProxy;
  beforeAll(async () => {
    open = await startConnectProxy();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => open.close());

  it('reach the canaries, so that their silence inside says something', async () => {
    const reached: string[] = [];
    for (const { name, command } of waysOut(places())) {
      const { text } = await outside(command);
      if (text.includes('CANARY')) reached.push(name);
    }
    console.info(`${reached.length} ways reach a canary through a proxy that leads everywhere: ${reached.join('; ')}`);
    expect(reached.length).toBeGreaterThanOrEqual(20);
  });

  async function outside(command: string): Promise<Said> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...Object.fromEntries(['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].map((name) => [name, open.url])),
    };
    const options = { cwd: folder, env, timeout: 30_000 };
    return promisify(execFile)('bash', ['-c', command], options).then(
      ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
      (error: unknown) => {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
        return { code: 1, text: stdout + stderr };
      },
    );
  }
});
