import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SERVICES_GRACE_MS, STORES_GRACE_MS } from '../../../src/embedded/stop-times.js';
import {
  StartedSandgate,
  processesOf,
  temporaryStateFolder,
  until,
} from '../../support/installation/started-sandgate.js';

jest.setTimeout(240_000);

/** The two seconds of a stop, and what a busy machine may add until killed processes are really gone. */
const STOPPED_WITHIN_MS = 10_000;

const folders: string[] = [];
let running: StartedSandgate | undefined;

function newFolder(): string {
  const folder = temporaryStateFolder();
  folders.push(folder);
  return folder;
}

function isAlive(started: StartedSandgate | undefined): started is StartedSandgate {
  return started?.child.exitCode === null && started.child.signalCode === null;
}

afterEach(async () => {
  if (isAlive(running)) await running.stop();
  running = undefined;
});

afterAll(() => {
  for (const folder of folders) {
    execFileSync(process.execPath, [resolve('dist/cli/main.js'), '--data-dir', folder, 'clean', '--yes'], {
      stdio: 'ignore',
    });
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('the embedded default', () => {
  it('prints every address, keeps secrets to its owner, refuses a second start, stops in two seconds and keeps its state', async () => {
    const folder = newFolder();
    running = await StartedSandgate.start(folder);
    for (const address of [
      'API ',
      'Temporal Web',
      'PostgreSQL',
      'Admin token',
      running.url,
      join(folder, 'admin-token'),
    ]) {
      expect(running.output).toContain(address);
    }
    expect(running.output).not.toContain(running.token);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const secret of ['admin-token', 'kek', 'ledger-key.pem'])
      expect(statSync(join(folder, secret)).mode & 0o777).toBe(0o600);

    const second = await StartedSandgate.spawn(folder).ended;
    expect(second.code).toBe(69);
    expect(second.output).toContain(`process ${running.child.pid} holds`);

    const created = await running.request('/v1/agents', {
      method: 'POST',
      body: JSON.stringify({ name: 'kept', harness: 'replay' }),
    });
    expect(created.status).toBe(200);
    const token = running.token;
    expect(SERVICES_GRACE_MS + STORES_GRACE_MS).toBeLessThan(2000);
    expect(await running.stop('SIGTERM')).toBeLessThan(STOPPED_WITHIN_MS);
    expect(existsSync(join(folder, 'supervisor.json'))).toBe(false);
    await until(() => processesOf(folder).length === 0, STOPPED_WITHIN_MS, 'every process is gone');

    running = await StartedSandgate.start(folder);
    expect(running.token).toBe(token);
    expect((await running.request('/v1/agents/kept')).status).toBe(200);
    expect(await running.stop('SIGINT')).toBeLessThan(STOPPED_WITHIN_MS);
  });

  it('refuses a malformed setting with a sentence that names it, before anything is made', async () => {
    const folder = newFolder();
    const ended = await StartedSandgate.spawn(folder, { SERVICE_SANDBOX_PIDS: 'many' }).ended;
    expect(ended.code).toBe(2);
    expect(ended.output).toMatch(/^sandgate: SERVICE_SANDBOX_PIDS must be a whole number/m);
    expect(existsSync(join(folder, 'admin-token'))).toBe(false);
  });
});

describe('an embedded installation that runs', () => {
  const folder = newFolder();
  let running: StartedSandgate;

  // Whatever the test before has done to it.
  beforeEach(async () => {
    if (!isAlive(running)) running = await StartedSandgate.start(folder);
  });
  afterAll(() => running?.stop());

  it('CP-055 takes the admin token on every data route of single-admin mode, and no other', async () => {
    for (const path of ['/v1/agents', '/v1/policies', '/v1/sessions', '/v1/approvals', '/v1/harnesses']) {
      expect((await running.request(path)).status).toBe(200);
      expect(
        (await fetch(`${running.url}${path}`, { headers: { authorization: 'Bearer something-else-entirely' } })).status,
      ).toBe(401);
    }
  });

  it('keeps a log ahead of the store of Temporal, whose transactions then need one sync each', () => {
    expect(existsSync(join(folder, 'temporal.db-wal'))).toBe(true);
  });

  it('leaves no child behind when the supervisor is killed, and starts again on the same folder', async () => {
    expect(processesOf(folder).length).toBeGreaterThanOrEqual(4);
    running.child.kill('SIGKILL');
    await running.ended;
    await until(() => processesOf(folder).length === 0, 30_000, 'every child is gone');
    running = await StartedSandgate.start(folder);
    expect((await running.request('/v1/health/ready')).status).toBe(200);
  });

  it('starts a part again that dies alone', async () => {
    const request = (path: string) =>
      running.request(path).then(
        (answer) => answer.status,
        () => 0,
      );
    for (const part of ['bin/postgres -D', 'server start-dev', 'dist/api/main.js', 'dist/worker/main.js']) {
      const victim = processesOf(folder).find(({ command }) => command.includes(part) && !command.startsWith('bwrap'));
      if (victim === undefined) throw new Error(`${part} does not run`);
      const before = new Set(processesOf(folder).map(({ pid }) => pid));
      process.kill(victim.pid, 'SIGKILL');
      await until(
        () => processesOf(folder).some(({ pid, command }) => command.includes(part) && !before.has(pid)),
        60_000,
        `${part} runs again`,
      );
      await until(
        async () => (await request('/v1/agents')) === 200,
        60_000,
        `the API answers after the death of ${part}`,
      );
    }
    expect(running.output).toContain('starting it again');
  });

  it('takes a lock over whose holder is dead', async () => {
    running.child.kill('SIGKILL');
    await running.ended;
    const stale = JSON.parse(readFileSync(join(folder, 'supervisor.json'), 'utf8')) as { pid: number };
    running = await StartedSandgate.start(folder);
    const held = JSON.parse(readFileSync(join(folder, 'supervisor.json'), 'utf8')) as { pid: number };
    expect(held.pid).not.toBe(stale.pid);
  });
});
