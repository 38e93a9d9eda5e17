import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePorts } from '../../support/installation/free-ports.js';
import { LiveStack, removeStateOf, TERMINAL } from '../../support/installation/live-stack.js';
import { ownPlace } from '../../support/installation/own-place.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { until } from '../../support/time/until.js';

/** PostgreSQL and Temporal that somebody else runs: here those of another installation, in databases and namespaces apart. */
let host: LiveStack;

beforeAll(async () => {
  host = await LiveStack.start();
  await createLogin(join(host.dataDir, 'pg'));
}, 120_000);

afterAll(async () => {
  await host?.stop();
}, 120_000);

describe('a start on a configured PostgreSQL and Temporal', () => {
  let stack: LiveStack;

  beforeAll(async () => {
    stack = await LiveStack.start(await storesOf(host, 'elsewhere'));
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  it('starts no stores of its own and runs on theirs, as a login that is no superuser', async () => {
    expect(Object.keys(stack.installation.pids).toSorted()).toEqual(['api', 'worker']);
    await stack.createReplayAgent('guest');
    const run = await stack.startRun('guest', [{ tool: 'Bash', input: { command: 'echo hello > hello.txt' } }]);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    await expectWholeLedger(stack, run);
  }, 120_000);
});

describe('an API and a worker that are served each by itself', () => {
  const parts: ChildProcess[] = [];
  const dataDir = mkdtempSync(join(tmpdir(), 'sg-served-'));

  afterAll(() => {
    for (const part of parts) part.kill('SIGKILL');
    removeStateOf(dataDir);
  });

  function serve(part: string, env: NodeJS.ProcessEnv): ChildProcess {
    const child = spawn(process.execPath, ['bin/sandgate.mjs', 'serve', part], {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    parts.push(child);
    return child;
  }

  it('share what they generated, carry a run, and end on a signal', async () => {
    const [port = 0] = await freePorts(1);
    const env = {
      ...ownPlace(),
      ...(await storesOf(host, 'served')),
      SERVICE_DATA_DIR: dataDir,
      SERVICE_BIND: `127.0.0.1:${port}`,
    };
    const [api, worker] = [serve('api', env), serve('worker', env)];
    const { admin, url } = await untilServed(dataDir, port);
    const ask = async (path: string, body?: object): Promise<{ session: { id: string; status: string } }> => {
      const response = await fetch(`${url}${path}`, {
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await response.json()) as { session: { id: string; status: string } };
    };
    await ask('/v1/agents', { name: 'guest', harness: 'replay', policy: 'standard' });
    const steps = JSON.stringify([{ tool: 'Bash', input: { command: 'echo hello > hello.txt' } }]);
    const { session } = await ask('/v1/sessions', { agent: 'guest', task: steps });
    const ended = await until(
      async () => (await ask(`/v1/sessions/${session.id}`)).session,
      ({ status }) => TERMINAL.has(status),
    );
    expect(ended).toMatchObject({ status: 'completed' });
    for (const part of [worker, api]) {
      const exit = once(part, 'exit');
      part.kill('SIGTERM');
      expect(await exit).toEqual([0, null]);
    }
  }, 180_000);

  it.each([
    [{}, 'DATABASE_URL must be set'],
    [{ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }, 'TEMPORAL_ADDRESS must be set'],
    [
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', TEMPORAL_ADDRESS: '127.0.0.1:1' },
      'the database could not be brought to the current schema',
    ],
  ])('say what is missing', async (env, sentence) => {
    const child = serve('api', { ...env, SERVICE_DATA_DIR: dataDir });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).not.toBe(0);
    expect(said).toContain(sentence);
  });
});

/** Waits until the API answers. @returns its address, and the token that it generated */
async function untilServed(dataDir: string, port: number): Promise<{ url: string; admin: string }> {
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => (await fetch(`${url}/v1/health/ready`).catch(() => undefined))?.ok === true;
  expect(await until(ready, Boolean)).toBe(true);
  return { url, admin: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim() };
}

/** As an administrator would: a login that may create roles and is no superuser. */
async function createLogin(socketDir: string): Promise<void> {
  await using administrator = await connectAdministrator(socketDir);
  await administrator.query('create role outsider login createrole');
  // The runtime roles belong to the cluster, and this cluster has them already.
  await administrator.query('grant sandgate_app, sandgate_system to outsider with admin option');
  // Its own database stays its own: a login with these roles that could connect there would refuse its boot.
  await administrator.query('revoke connect on database sandgate from public');
}

/** A database and a namespace of this name. @returns the settings that lead there */
async function storesOf({ dataDir, installation }: LiveStack, name: string): Promise<NodeJS.ProcessEnv> {
  const socketDir = join(dataDir, 'pg');
  await using administrator = await connectAdministrator(socketDir);
  await administrator.query(`create database ${name} owner outsider`);
  await createNamespace(installation.temporalAddress, name);
  return {
    DATABASE_URL: `postgres://outsider@/${name}?host=${encodeURIComponent(socketDir)}`,
    TEMPORAL_ADDRESS: installation.temporalAddress,
    TEMPORAL_NAMESPACE: name,
  };
}

async function connectAdministrator(host: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ host, user: 'sandgate', database: 'postgres' });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

async function createNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
}
