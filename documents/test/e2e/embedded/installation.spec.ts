import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { processesOf, until } from '../../../../test/support/installation/started-sandgate.js';
import {
  findPart,
  StartedDocsvc,
  temporaryDocsvcFolder,
  type DocsvcPart,
} from '../../support/installation/started-docsvc.js';
import { outlivesItsDriver } from './lost-driver-store.part.js';

const folder = temporaryDocsvcFolder();
let running: StartedDocsvc | undefined;

afterAll(async () => {
  if (running?.isAlive === true) await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<StartedDocsvc> {
  if (running?.isAlive !== true) running = await StartedDocsvc.start(folder);
  return running;
}

const statusOf = (started: StartedDocsvc, path: string) =>
  started.request(path).then(
    (answer) => answer.status,
    () => 0,
  );

describe('the documents service on one machine', () => {
  it('DI-002 starts alone, prints every address, and keeps the secret of its first client to its owner', async () => {
    const started = await start();
    const { apiUrl, clientSecret } = started.client;
    for (const address of ['Temporal Web', 'PostgreSQL', apiUrl, join(folder, 'first-client.json')]) {
      expect(started.output).toContain(address);
    }
    expect(started.output).not.toContain(clientSecret);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const secret of ['first-client.json', 'seal-key'])
      expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, 'admin-token'))).toBe(false);
  });

  it('DI-055 the first client is an administrator of one organization; without a token no route is open', async () => {
    const started = await start();
    const me = await started.request('/api/me');
    expect(me.status).toBe(200);
    expect(await me.json()).toMatchObject({ scopes: expect.arrayContaining(['clients:manage', 'audit:read']) });
    for (const path of ['/api/me', '/api/projects', '/api/clients', '/api/audit']) {
      expect((await fetch(`${started.url}${path}`)).status).toBe(401);
    }
  });

  it('refuses a second start on the same folder, and names the process that holds it', async () => {
    const started = await start();
    const second = await StartedDocsvc.spawn(folder).ended;
    expect(second.code).toBe(69);
    expect(second.output).toContain(`process ${started.child.pid} holds`);
  });

  it.each<DocsvcPart>(['worker', 'api', 'postgres', 'temporal'])(
    '%s is started again when it dies alone',
    async (part) => {
      const started = await start();
      const victim = started.pidOf(part);
      process.kill(victim, 'SIGKILL');
      await until(() => ![undefined, victim].includes(findPart(folder, part)), 60_000, `${part} runs again`);
      await until(async () => (await statusOf(started, '/api/projects')) === 200, 60_000, 'the API answers');
    },
  );

  it('stops in the orderly way, leaves no process, and a restart keeps what was made', async () => {
    const started = await start();
    const made = await started.request('/api/workspaces', { method: 'POST', body: JSON.stringify({ name: 'Kept' }) });
    expect(made.status).toBe(201);
    const { id } = (await made.json()) as { id: string };
    const before = started.client;
    await started.stop();
    await until(() => processesOf(folder).length === 0, 30_000, 'every process is gone');
    expect(existsSync(join(folder, 'supervisor.json'))).toBe(false);

    // As the disk is when the first start dies between its commit and the renaming of the file: the secret is not lost.
    renameSync(join(folder, 'first-client.json'), join(folder, 'first-client.json.new'));
    const again = await start();
    expect(again.client).toMatchObject({ clientId: before.clientId, clientSecret: before.clientSecret });
    expect((await again.request(`/api/workspaces/${id}`)).status).toBe(200);
  });

  it('leaves no child behind when the supervisor is killed, and starts again on the same folder', async () => {
    const started = await start();
    started.child.kill('SIGKILL');
    await started.ended;
    await until(() => processesOf(folder).length === 0, 30_000, 'every child is gone');
    expect((await (await start()).request('/api/projects')).status).toBe(200);
  });

  it('refuses a store that it does not have, before anything is made', async () => {
    const other = join(folder, 'never');
    const ended = await StartedDocsvc.spawn(other, { DOCSVC_STORE: 's3' }).ended;
    expect(ended.code).toBe(78);
    expect(ended.output).toMatch(/^docsvc: DOCSVC_STORE asks for s3, which this version does not have; use fs/m);
    expect(existsSync(other)).toBe(false);
  });

  it('a worker refuses to start where no sandbox can be built, and says so before it touches anything; doctor says why', () => {
    // A host without the program that makes sandboxes.
    const without = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap'];
    const there = (...argv: string[]) =>
      spawnSync('bwrap', [...without, process.execPath, ...argv], {
        env: {
          PATH: process.env['PATH'],
          HOME: folder,
          DOCSVC_DATA_DIR: folder,
          DOCSVC_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        },
        encoding: 'utf8',
        timeout: 60_000,
      });
    const refusal = /no sandbox can be built on this host, and documents are never opened without one: .*bwrap/;
    const worker = there('dist/documents/worker/main.js');
    expect(worker.status).toBe(1);
    expect(worker.stderr).toMatch(refusal);
    const doctor = there('documents/bin/docsvc.mjs', 'doctor', '--output', 'json');
    expect(doctor.status).toBe(1);
    expect(JSON.parse(doctor.stdout)).toContainEqual({
      check: 'sandbox',
      result: 'failed',
      detail: expect.stringMatching(refusal),
    });
  });
});

describe('the driver loses its store', () => outlivesItsDriver(start));
