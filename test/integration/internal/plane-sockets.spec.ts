import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureHostIdFile } from '../../../src/platform/config/host-id.js';
import {
  planeDirectory,
  planeRoot,
  planeSocketAccepts,
  socketAddress,
} from '../../../src/platform/host/plane-socket-path.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

let database: TestDatabase;
const planes: PlaneApp[] = [];
const folders: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const plane of planes.splice(0)) await plane.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});
afterAll(() => database.close());

async function start(dataDir: string, env: Record<string, string> = {}): Promise<PlaneApp> {
  const plane = await startPlane(database, env, { dataDir });
  planes.push(plane);
  return plane;
}

async function folder(...names: string[]): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'plane-'));
  folders.push(base);
  const deep = join(base, ...names);
  folders.push(planeRoot(deep));
  await mkdir(deep, { recursive: true });
  return deep;
}

async function appears(dataDir: string, runId: string): Promise<boolean> {
  return until(
    () => planeSocketAccepts(dataDir, runId, 500),
    (accepts) => accepts,
  );
}

/** One request through the plane socket of a run. */
async function through(
  dataDir: string,
  runId: string,
  path: string,
  token: string,
): Promise<{ status: number; body: unknown }> {
  const address = await socketAddress(join(planeDirectory(dataDir, runId), 'plane.sock'));
  try {
    return await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, connection: 'close' };
      request({ socketPath: address.path, path, method: 'POST', headers }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }));
      })
        .once('error', reject)
        .end('{}');
    });
  } finally {
    await address.release();
  }
}

async function onHost(run: FixtureRun, dataDir: string): Promise<void> {
  await database.db.withTenant(run.organizationId, (tx) =>
    tx.query('update sessions set host_id = $2 where id = $1', [run.runId, ensureHostIdFile(dataDir)]),
  );
}

describe('plane sockets', () => {
  it('CP-051 accept as soon as the directory of a run appears, and go with it', async () => {
    const dataDir = await folder();
    await start(dataDir);
    const run = await createGatedRun(database.db);
    expect(await planeSocketAccepts(dataDir, run.runId, 500)).toBe(false);
    await mkdir(planeDirectory(dataDir, run.runId));
    expect(await appears(dataDir, run.runId)).toBe(true);
    expect(await through(dataDir, run.runId, '/internal/heartbeat', run.tokens.control)).toEqual({
      status: 200,
      body: { ok: true, action: null },
    });
    await rm(planeDirectory(dataDir, run.runId), { recursive: true });
    expect(await planeSocketAccepts(dataDir, run.runId, 500)).toBe(false);
  });

  it('CP-051 work below a data folder deeper than a socket address holds', async () => {
    const dataDir = await folder('a'.repeat(100), 'b'.repeat(100));
    await start(dataDir);
    const run = await createGatedRun(database.db);
    await mkdir(planeDirectory(dataDir, run.runId));
    expect(await appears(dataDir, run.runId)).toBe(true);
    expect((await through(dataDir, run.runId, '/internal/heartbeat', run.tokens.control)).status).toBe(200);
  });

  it('CP-051 are made anew for every live run of the host when the process starts', async () => {
    const dataDir = await folder();
    const [live, over] = [
      await createGatedRun(database.db),
      await createGatedRun(database.db, { status: 'completed' }),
    ];
    await onHost(live, dataDir);
    await onHost(over, dataDir);
    await start(dataDir);
    expect(await planeSocketAccepts(dataDir, live.runId, 500)).toBe(true);
    expect(await planeSocketAccepts(dataDir, over.runId, 500)).toBe(false);
    await start(dataDir);
    expect((await through(dataDir, live.runId, '/internal/heartbeat', live.tokens.control)).status).toBe(200);
  });

  it('CP-277 serve the tokens of their own run alone, after the audience was asked', async () => {
    const dataDir = await folder();
    await start(dataDir);
    const [own, other] = [await createGatedRun(database.db), await createGatedRun(database.db)];
    await mkdir(planeDirectory(dataDir, own.runId));
    await appears(dataDir, own.runId);
    expect(await through(dataDir, own.runId, '/internal/heartbeat', other.tokens.tool)).toEqual({
      status: 403,
      body: { error: 'wrong_audience' },
    });
    expect(await through(dataDir, own.runId, '/internal/heartbeat', other.tokens.control)).toEqual({
      status: 403,
      body: { error: 'wrong_run' },
    });
  });

  it('CP-052 serve the runner plane and nothing else', async () => {
    const dataDir = await folder();
    await start(dataDir);
    const run = await createGatedRun(database.db);
    await mkdir(planeDirectory(dataDir, run.runId));
    await appears(dataDir, run.runId);
    for (const path of ['/v1/sessions', '/healthz', '/', '/internalx']) {
      expect(await through(dataDir, run.runId, path, run.tokens.control)).toEqual({
        status: 404,
        body: { error: 'not found' },
      });
    }
  });

  it('CP-299 answer what is over their limits, and note each limit once', async () => {
    const dataDir = await folder();
    const hasty = await start(dataDir, { SERVICE_LIMIT_HEADER_TIMEOUT_MS: '300' });
    const run = await createGatedRun(database.db);
    await mkdir(planeDirectory(dataDir, run.runId));
    await appears(dataDir, run.runId);
    const socketPath = join(planeDirectory(dataDir, run.runId), 'plane.sock');
    const raw = (text: string): Promise<string> =>
      new Promise((resolve, reject) => {
        let answer = '';
        connect(socketPath)
          .on('data', (chunk) => (answer += chunk.toString()))
          .once('close', () => resolve(answer))
          .once('error', reject)
          .write(text);
      });
    expect(await raw(`GET /internal/x HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 431 .*\{"error":"[^"]+"\}$/s,
    );
    expect(await raw('GET /internal/x HTTP/1.1\r\nhost: a\r\n')).toMatch(/^HTTP\/1\.1 408 .*\{"error":"[^"]+"\}$/s);
    const noted = async (): Promise<unknown[]> =>
      (await readLedger(database.db, run))
        .filter((line) => line.type === 'run.limit_reached')
        .map((line) => line.data['limit']);
    await until(noted, (limits) => limits.length > 0);
    // Another process takes over, whose patience outlasts the idle connections below.
    await hasty.close();
    planes.splice(planes.indexOf(hasty), 1);
    await start(dataDir, { SERVICE_LIMIT_CONNECTIONS: '3' });
    await appears(dataDir, run.runId);
    // The connection that looked ends for the server a few turns after it ended here.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const idle = [1, 2, 3].map(() => connect(socketPath));
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    expect(await through(dataDir, run.runId, '/internal/heartbeat', run.tokens.control)).toEqual({
      status: 503,
      body: { error: 'too many connections of this run' },
    });
    for (const socket of idle) socket.destroy();
    await until(noted, (limits) => limits.length >= 2);
    // A second note of one limit would come now.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await noted()).sort()).toEqual(['connections', 'headers']);
  });
});
