import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { admitRun } from '../../../src/core/launch/admission.js';
import { admitWaiting, recountCapacity, releaseCapacity } from '../../../src/core/runs/capacity.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { deleteOutbox, readStaleOutbox } from '../../../src/core/record/outbox.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import {
  createOrganization,
  createRun,
  readLedger,
  readStatus,
  type FixtureRun,
} from '../../support/runs/run-fixture.js';

describe('capacity', () => {
  let test: TestDatabase;
  const opened: TestDatabase[] = [];
  beforeEach(async () => {
    test = await createTestDatabase();
    opened.push(test);
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
  });

  const addHost = async (capacity: number) => {
    const id = uuidv7();
    await seeHost(test.db.pool, {
      id,
      name: 'one',
      capacity,
      provider: 'bubblewrap',
      harnesses: ['builtin', 'replay'],
    });
    return id;
  };
  const limits = (globalMaxActive: number | null = null, tenantMaxActive: number | null = null) => ({
    globalMaxActive,
    tenantMaxActive,
    queueTtlSecs: 900,
  });
  const admit = (run: FixtureRun, globalMax: number | null = null, tenantMax: number | null = null) =>
    admitRun(test.db, run, limits(globalMax, tenantMax));
  const release = (run: FixtureRun) => test.db.withTenant(run.organizationId, (tx) => releaseCapacity(tx, run.runId));

  async function counters(): Promise<Record<string, number>> {
    const { rows } = await test.owner.query<{ scope: string; active: number }>(
      'select scope, active from capacity_counters',
    );
    return Object.fromEntries(rows.map((row) => [row.scope, row.active]));
  }

  async function held(): Promise<string[]> {
    const { rows } = await test.owner.query<{ id: string }>(
      'select id from sessions where capacity_held order by admitted_at',
    );
    return rows.map((row) => row.id);
  }

  it('claims both counters or none under 80 racing admissions, and repeating one is free', async () => {
    await addHost(100);
    const organizations = [await createOrganization(test.db), await createOrganization(test.db)];
    const runs = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        createRun(test.db, { in: organizations[n % 2] as FixtureRun, status: 'created' }),
      ),
    );
    await Promise.all([...runs, ...runs].map((run) => admit(run, 7, 4)));
    expect((await counters())['deployment']).toBe(7);
    expect(await held()).toHaveLength(7);
    const active = await counters();
    expect(organizations.map((one) => active[one.organizationId] ?? 0).sort()).toEqual([3, 4]);
    const statuses = await Promise.all(runs.map((run) => readStatus(test.db, run)));
    expect(statuses.filter((status) => status === 'provisioning')).toHaveLength(7);
    expect(statuses.filter((status) => status === 'queued')).toHaveLength(33);
  });

  it('CP-268 leaves the runs of a suspended organization in line, and lets those of others past them', async () => {
    await addHost(5);
    const suspended = await createOrganization(test.db);
    const turn = (status: string) =>
      test.owner.query('update tenants set status = $2 where id = $1', [suspended.organizationId, status]);
    const waiting = await createRun(test.db, { in: suspended, status: 'created' });
    const other = await createRun(test.db, { in: await createOrganization(test.db), status: 'created' });
    await turn('suspended');
    for (const run of [waiting, other]) await admit(run);
    expect(await readStatus(test.db, waiting)).toBe('queued');
    expect(await held()).toEqual([other.runId]);
    await turn('active');
    await admitWaiting(test.db, limits());
    expect((await held()).sort()).toEqual([waiting.runId, other.runId].sort());
  });

  it('never places more runs on a host than it has places, however many are admitted at once', async () => {
    const hosts = [await addHost(3), await addHost(2)];
    const organization = await createOrganization(test.db);
    const runs = await Promise.all(
      Array.from({ length: 24 }, () => createRun(test.db, { in: organization, status: 'created' })),
    );
    await Promise.all(runs.map((run) => admit(run)));
    const { rows } = await test.owner.query<{ host_id: string; taken: number }>(
      'select host_id, count(*)::int as taken from sessions where capacity_held group by 1',
    );
    expect(Object.fromEntries(rows.map((row) => [row.host_id, row.taken]))).toEqual({
      [hosts[0] as string]: 3,
      [hosts[1] as string]: 2,
    });
  });

  it('a run without a host waits and says so, and is let in as soon as one is there', async () => {
    const run = await createRun(test.db, { status: 'created' });
    expect(await admit(run)).toMatchObject({ admitted: false, hostId: null });
    expect(await readLedger(test.db, run)).toMatchObject([
      { data: { from: 'created', to: 'queued', reason: 'no sandbox host is online' } },
    ]);
    const host = await addHost(1);
    expect(await admitWaiting(test.db, limits())).toBe(1);
    expect(await admit(run)).toEqual({ admitted: true, hostId: host, waitMs: null });
    expect(await readStatus(test.db, run)).toBe('provisioning');
  });

  it('gives a place back once, and wakes as many queued runs as there are free places', async () => {
    await addHost(8);
    const organization = await createOrganization(test.db);
    const holders = await Promise.all([0, 1].map(() => createRun(test.db, { in: organization, status: 'created' })));
    for (const holder of holders) expect((await admit(holder, 2)).admitted).toBe(true);
    const waiting = [
      await createRun(test.db, { in: organization, status: 'queued' }),
      await createRun(test.db, { in: organization, status: 'queued' }),
    ];
    await deleteOutbox(
      test.db.pool,
      (await readStaleOutbox(test.db.pool, 0, 10)).map((row) => row.id),
    );
    for (const holder of holders) {
      expect(await release(holder)).toBe(true);
      expect(await release(holder)).toBe(false);
    }
    expect((await counters())['deployment']).toBe(0);
    expect(await admitWaiting(test.db, limits(2))).toBe(2);
    const woken = await readStaleOutbox(test.db.pool, 0, 10);
    expect(woken.map((row) => [row.kind, row.subjectId])).toEqual(waiting.map((run) => ['capacity', run.runId]));
  });

  it('passes over a run that is ending, and takes its place back when it was granted one', async () => {
    await addHost(8);
    const organization = await createOrganization(test.db);
    const [head, next] = [
      await createRun(test.db, { in: organization, status: 'queued' }),
      await createRun(test.db, { in: organization, status: 'queued' }),
    ];
    const cancel = (run: FixtureRun) =>
      test.db.withTenant(run.organizationId, (tx) =>
        requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled by user', wantsQuiesce: true }),
      );
    await cancel(head);
    expect(await admitWaiting(test.db, limits(1))).toBe(1);
    expect(await held()).toEqual([next.runId]);
    await cancel(next);
    await test.db.withTenant(next.organizationId, async (tx) => {
      await moveRun(tx, next.runId, 'queued', 'finalizing', 'cancelled by user');
      await concludeRun(tx, next.runId);
    });
    expect(await held()).toEqual([]);
    expect((await counters())['deployment']).toBe(0);
  });

  it('heals drifted counters, places of runs that are over and places that nobody counted', async () => {
    const host = await addHost(9);
    const run = await createRun(test.db, { status: 'created' });
    await admit(run);
    await test.owner.query('update capacity_counters set active = 9');
    expect(await recountCapacity(test.db.pool)).toBe(2);
    expect(await counters()).toEqual({ deployment: 1, [run.organizationId]: 1 });
    const over = await createRun(test.db, { in: run, status: 'completed' });
    const live = await createRun(test.db, { in: run, status: 'running' });
    await test.owner.query('update sessions set capacity_held = true where id = $1', [over.runId]);
    await test.owner.query('update sessions set host_id = $2 where id = $1', [live.runId, host]);
    expect(await recountCapacity(test.db.pool)).toBe(4);
    expect(await counters()).toEqual({ deployment: 2, [run.organizationId]: 2 });
    expect(await recountCapacity(test.db.pool)).toBe(0);
  });

  it('keeps admissions, moves, releases, recounts and cancels free of deadlocks', async () => {
    await addHost(20);
    const organization = await createOrganization(test.db);
    const runs = await Promise.all(
      Array.from({ length: 12 }, () => createRun(test.db, { in: organization, status: 'created' })),
    );
    await Promise.all(
      runs.flatMap((run) => [
        admit(run, 5),
        test.db.withTenant(run.organizationId, (tx) =>
          moveRun(tx, run.runId, ['created', 'queued'], 'provisioning', null),
        ),
        release(run),
        recountCapacity(test.db.pool),
        admitWaiting(test.db, limits(5)),
        test.db.withTenant(run.organizationId, (tx) =>
          requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: null, wantsQuiesce: true }),
        ),
      ]),
    );
    await recountCapacity(test.db.pool);
    expect((await counters())['deployment']).toBe((await held()).length);
  });
});
