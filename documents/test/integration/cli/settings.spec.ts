import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { startApi, type TestApi, type TestOrganization } from '../../support/api/api.js';
import { DocsvcCommand, type Ran } from '../../support/cli/docsvc-command.js';

let api: TestApi;
let acme: TestOrganization;
/** Somebody else's server, which would like to have a token. */
let hostile: Server;
let hostileUrl: string;
const asked: IncomingMessage[] = [];

beforeAll(async () => {
  api = await startApi();
  acme = await api.organization();
  hostile = createServer((request, reply) => {
    asked.push(request);
    reply.writeHead(401).end('{}');
  });
  await new Promise<void>((done) => hostile.listen(0, '127.0.0.1', done));
  hostileUrl = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hostile.close();
  await api.close();
});

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
};
const userFile = (docsvc: DocsvcCommand): string => join(docsvc.home, '.config', 'docsvc', 'config.toml');
const projectFile = (docsvc: DocsvcCommand): string => join(docsvc.folder, '.docsvc.toml');

interface Shown {
  key: string;
  value: unknown;
  layer: string;
}

const settingsOf = async (docsvc: DocsvcCommand, argv: string[] = [], env = {}): Promise<Map<string, Shown>> => {
  const { stdout } = await docsvc.run(['config', 'list', '--origin', '--output', 'json', ...argv], { env });
  return new Map((JSON.parse(stdout) as Shown[]).map((one) => [one.key, one]));
};

describe('settings of the client', () => {
  it('DI-050 DI-051 DI-052 DI-053 have defaults', async () => {
    using docsvc = new DocsvcCommand();
    const settings = await settingsOf(docsvc);
    expect(settings.get('upload.concurrency')).toMatchObject({ value: 4, layer: 'default' });
    expect(settings.get('upload.retry_attempts')).toMatchObject({ value: 3, layer: 'default' });
    expect(settings.get('runs.poll_interval')).toMatchObject({ value: 2, layer: 'default' });
    expect(settings.get('runs.timeout')).toMatchObject({ value: 600, layer: 'default' });
  });

  it('DI-046 DI-047 DI-048 later layers win, each over all before it, and the origin says which', async () => {
    using docsvc = new DocsvcCommand();
    const key = 'upload.concurrency';
    const seen = async (argv: string[] = [], env = {}): Promise<unknown> =>
      (await settingsOf(docsvc, argv, env)).get(key);
    expect(await seen()).toMatchObject({ value: 4, layer: 'default' });
    write(userFile(docsvc), '[upload]\nconcurrency = 5\n[defaults]\nproject = "user"\n');
    expect(await seen()).toMatchObject({ value: 5, layer: 'user', source: userFile(docsvc) });
    write(projectFile(docsvc), '[upload]\nconcurrency = 6\n');
    expect(await seen()).toMatchObject({ value: 6, layer: 'project' });
    const env = { DOCSVC_UPLOAD_CONCURRENCY: '7' };
    expect(await seen([], env)).toMatchObject({ value: 7, layer: 'environment', source: 'DOCSVC_UPLOAD_CONCURRENCY' });
    const project = await settingsOf(docsvc, ['--project', 'flag'], { DOCSVC_DEFAULTS_PROJECT: 'variable' });
    expect(project.get('defaults.project')).toMatchObject({ value: 'flag', layer: 'flag', source: '--project' });
    expect((await settingsOf(docsvc)).get('defaults.project')).toMatchObject({ value: 'user', layer: 'user' });
  });

  it('DI-049 an output that is none is refused with the place where it is said', async () => {
    using docsvc = new DocsvcCommand();
    write(projectFile(docsvc), '[defaults]\noutput = "xml"\n');
    const refused = await docsvc.run(['config', 'list']);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${projectFile(docsvc)}: defaults.output takes table, json, jsonl, csv`);
  });

  it('DI-046 the project file is that of the caller, however the program is started', async () => {
    using docsvc = new DocsvcCommand();
    write(projectFile(docsvc), '[upload]\nconcurrency = 9\n');
    const byPackageManager = { INIT_CWD: docsvc.folder, npm_command: 'run-script' };
    const argv = ['config', 'get', 'upload.concurrency'];
    expect((await docsvc.run(argv, { cwd: resolve('documents'), env: byPackageManager })).stdout).toBe('9\n');
    using elsewhere = new DocsvcCommand();
    expect((await elsewhere.run(argv, { env: byPackageManager })).stdout).toBe('4\n');
  });
});

describe('credentials of the client', () => {
  const refusedBy = (ran: Ran): void => {
    expect(ran.code).toBe(3);
    expect(asked).toEqual([]);
  };

  it('DI-048 a project file that names another API gets none, wherever they are from', async () => {
    using spoken = new DocsvcCommand({ DOCSVC_TOKEN: acme.token });
    write(projectFile(spoken), `[defaults]\napi_url = "${hostileUrl}"\n`);
    refusedBy(await spoken.run(['whoami']));
    const ofClient = { DOCSVC_TOKEN: '', DOCSVC_CLIENT_ID: acme.clientId, DOCSVC_CLIENT_SECRET: acme.clientSecret };
    refusedBy(await spoken.run(['whoami'], { env: ofClient }));
    const flags = ['--client-id', acme.clientId, '--client-secret', acme.clientSecret];
    refusedBy(await spoken.run(['whoami', ...flags], { env: { DOCSVC_TOKEN: '' } }));
    using kept = new DocsvcCommand();
    expect(await kept.run(['login', '--api-url', api.origin, ...flags])).toMatchObject({ code: 0 });
    expect(await kept.run(['whoami', '--api-url', api.origin])).toMatchObject({ code: 0 });
    write(projectFile(kept), `[defaults]\napi_url = "${hostileUrl}"\n`);
    refusedBy(await kept.run(['whoami']));
    expect(await kept.run(['whoami', '--api-url', api.origin])).toMatchObject({ code: 0 });
    for (const name of ['credentials.json', 'tokens.json'])
      expect(statSync(join(kept.home, '.config', 'docsvc', name)).mode & 0o777).toBe(0o600);
  });

  it('the client of an embedded start is used for its origin alone, and never from a file that others can read', async () => {
    using docsvc = new DocsvcCommand();
    const path = join(docsvc.home, '.local', 'state', 'docsvc', 'first-client.json');
    const { clientId, clientSecret } = acme;
    write(path, JSON.stringify({ apiUrl: api.origin, clientId, clientSecret }));
    const who = await docsvc.run(['whoami', '--api-url', api.origin, '--output', 'json']);
    expect(JSON.parse(who.stdout)).toMatchObject({ orgId: acme.orgId, role: 'admin' });
    refusedBy(await docsvc.run(['whoami', '--api-url', hostileUrl]));
    rmSync(path);
    writeFileSync(path, JSON.stringify({ apiUrl: api.origin, clientId, clientSecret }), { mode: 0o644 });
    const open = await docsvc.run(['whoami', '--api-url', api.origin]);
    expect(open.stderr).toContain('chmod 600');
  });
});
