import { afterEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { createOrganization, createRun } from '../../support/runs/run-fixture.js';
import { startApi, type Answer, type TestApi } from '../../support/api/api.js';

let api: TestApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(places: number, env: Record<string, string>): Promise<TestApi> {
  api = await startApi(env);
  await seeHost(api.db.pool, {
    id: uuidv7(),
    name: 'one',
    capacity: places,
    provider: 'bubblewrap',
    harnesses: ['builtin', 'replay'],
  });
  return api;
}

const create = (count: number): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, () => api!.post('/v1/sessions', { agent: 'fixer', task: '[]' })));

async function expectRefused(answers: Answer[], created: number): Promise<void> {
  const refused = answers.filter((answer) => answer.status === 429);
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(created);
  expect(refused).toHaveLength(answers.length - created);
  for (const answer of refused) {
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect(answer.body.error).toContain('queue is full');
  }
  expect((await api!.get('/v1/sessions?limit=1000')).body.sessions).toHaveLength(created);
  const { rows } = await api!.database.owner.query<{ left: number }>(
    'select (select count(*) from driver_outbox)::int + (select count(*) from session_heads)::int as left',
  );
  expect(rows[0]?.left).toBe(created * 2);
}

describe('a full queue', () => {
  it('CP-179 CP-305 is 429 with Retry-After, exact under concurrency, and creates nothing', async () => {
    await start(100, { SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '2', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '3' });
    await expectRefused(await create(20), 5);
  });

  it('CP-179 counts under the cap of the deployment alone', async () => {
    await start(100, { SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '2', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '1' });
    await expectRefused(await create(12), 3);
  });

  it('CP-179 counts places of hosts where no cap is set', async () => {
    await start(4, { SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '2' });
    await expectRefused(await create(12), 6);
  });

  it('CP-179 a depth of nothing lets in what need not wait', async () => {
    await start(100, { SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '2', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '0' });
    await expectRefused(await create(6), 2);
  });

  it('CP-179 of one organization does not concern another', async () => {
    await start(100, { SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '1', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '1' });
    const other = await createOrganization(api!.db);
    for (let n = 0; n < 5; n += 1) await createRun(api!.db, { in: other, status: 'queued' });
    expect((await create(2)).map((answer) => answer.status)).toEqual([200, 200]);
    expect((await create(1)).map((answer) => answer.status)).toEqual([429]);
  });

  it('CP-179 a replayed request is answered with its run, however full the queue', async () => {
    await start(100, { SERVICE_CAPACITY_TENANT_MAX_ACTIVE: '1', SERVICE_CAPACITY_TENANT_QUEUE_DEPTH: '0' });
    const body = { agent: 'fixer', task: '[]' };
    const headers = { 'idempotency-key': 'once' };
    const first = await api!.post('/v1/sessions', body, { headers });
    const again = await api!.post('/v1/sessions', body, { headers });
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.session.id).toBe(first.body.session.id);
    expect((await api!.post('/v1/sessions', body)).status).toBe(429);
    expect((await api!.post('/v1/sessions', body, { headers: { 'idempotency-key': 'new' } })).status).toBe(429);
  });

  it('CP-143 a queued run says how many stand before it, by creation, and no other run does', async () => {
    await start(100, {});
    const created = (await Promise.all([create(1), create(1), create(1)])).map(([answer]) => answer!.body.session.id);
    expect((await api!.get(`/v1/sessions/${created[0]}`)).body).not.toHaveProperty('queue_position');
    const { rows } = await api!.database.owner.query<{ id: string }>(
      `update sessions set status = 'queued', queued_at = now() returning id, created_at`,
    );
    expect(rows).toHaveLength(3);
    const byCreation = await api!.database.owner.query<{ id: string }>(
      'select id from sessions order by created_at, id',
    );
    const positions = await Promise.all(
      byCreation.rows.map(async ({ id }) => (await api!.get(`/v1/sessions/${id}`)).body.queue_position),
    );
    expect(positions).toEqual([0, 1, 2]);
  });
});
