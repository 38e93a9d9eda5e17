import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { admitRun } from '../../../src/platform/db/admission.js';
import { concludeRun } from '../../../src/platform/db/conclusion.js';
import { seeHost } from '../../../src/platform/db/hosts.js';
import { recordIntent } from '../../../src/platform/db/intents.js';
import { claimCapacity, nextQueued, recountCapacity, releaseCapacity } from '../../../src/platform/db/capacity.js';
import { deleteOutbox, readStaleOutbox } from '../../../src/platform/db/outbox.js';
import { moveRun } from '../../../src/platform/db/run-moves.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createOrganization, createRun, type FixtureRun } from '../../support/run-fixture.js';

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

  const claim = (run: FixtureRun, globalMax: number | null, tenantMax: number | null) =>
    claimCapacity(test.db.pool, { organizationId: run.organizationId, sessionId: run.sessionId, globalMax, tenantMax });

  const admit = (run: FixtureRun, globalMaxActive: number | null) =>
    test.db.withTenant(run.organizationId, (tx) =>
      admitRun(tx, run.sessionId, { globalMaxActive, tenantMaxActive: null }),
    );

  async function counters(): Promise<Record<string, number>> {
    const { rows } = await test.owner.query<{ scope: string; active: number }>(
      'select scope, active from capacity_counters',
    );
    return Object.fromEntries(rows.map((row) => [row.scope, row.active]));
  }

  it('claims both counters or none under 40 racing claims, and repeating a claim is free', async () => {
    const organizations = [await createOrganization(test.db), await createOrganization(test.db)];
    const runs = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        createRun(test.db, { in: organizations[n % 2] as FixtureRun, status: 'created' }),
      ),
    );
    const outcomes = await Promise.all([...runs, ...runs].map((run) => claim(run, 7, 4)));
    expect((await counters())['deployment']).toBe(7);
    const { rows } = await test.owner.query<{ held: number }>(
      'select count(*)::int as held from sessions where capacity_held',
    );
    expect(rows[0]?.held).toBe(7);
    expect(outcomes.filter((outcome) => outcome === 'claimed').length).toBeGreaterThanOrEqual(7);
    const active = await counters();
    expect(organizations.map((one) => active[one.organizationId] ?? 0).sort()).toEqual([3, 4]);
  });

  it('admits an organization first in, first out', async () => {
    const organization = await createOrganization(test.db);
    const older = await createRun(test.db, { in: organization, status: 'queued' });
    const younger = await createRun(test.db, { in: organization, status: 'queued' });
    const fresh = await createRun(test.db, { in: organization, status: 'created' });
    expect(await claim(younger, 5, 5)).toBe('behind');
    expect(await claim(fresh, 5, 5)).toBe('behind');
    expect(await claim(older, 5, 5)).toBe('claimed');
    expect(await claim(younger, 5, 5)).toBe('claimed');
    expect(await claim(fresh, 5, 5)).toBe('claimed');
    expect(await claim(await createRun(test.db, { in: organization, status: 'running' }), 5, 5)).toBe('not_waiting');
  });

  it('lets organizations take turns, passes over the one at its cap, and gives a place back once', async () => {
    const [busy, quiet] = [await createOrganization(test.db), await createOrganization(test.db)];
    const holder = await createRun(test.db, { in: busy, status: 'created' });
    expect(await claim(holder, 2, 2)).toBe('claimed');
    const waiting: FixtureRun[] = [];
    for (const organization of [busy, busy, quiet])
      waiting.push(await createRun(test.db, { in: organization, status: 'queued' }));
    const ids = async (globalMax: number | null, tenantMax: number | null) =>
      (await nextQueued(test.db.pool, { globalMax, tenantMax, limit: 10 })).map((next) => next.sessionId);
    expect(await ids(null, null)).toEqual([waiting[0], waiting[2], waiting[1]].map((run) => run?.sessionId));
    expect(await ids(null, 1)).toEqual([waiting[2]?.sessionId]);
    expect(await ids(1, null)).toEqual([]);

    const limits = { globalMax: 1, tenantMax: 1 };
    await releaseCapacity(test.db, { ...holder, ...limits });
    await releaseCapacity(test.db, { ...holder, ...limits });
    expect((await counters())['deployment']).toBe(0);
    const rows = await readStaleOutbox(test.db.pool, 0, 10);
    expect(rows.map((row) => [row.kind, row.sessionId])).toEqual([['capacity', waiting[0]?.sessionId]]);
    await deleteOutbox(
      test.db.pool,
      rows.map((row) => row.id),
    );
    expect(await readStaleOutbox(test.db.pool, 0, 10)).toEqual([]);
  });

  it('never places more runs on a host than it has places, however many are admitted at once', async () => {
    const host = { id: uuidv7(), name: 'one', capacity: 3, provider: 'bubblewrap' };
    await seeHost(test.db.pool, host);
    const organization = await createOrganization(test.db);
    const runs = await Promise.all(
      Array.from({ length: 24 }, () => createRun(test.db, { in: organization, status: 'created' })),
    );
    await Promise.all(runs.map((run) => admit(run, null)));
    const { rows } = await test.owner.query<{ taken: number }>(
      'select count(*)::int as taken from sessions where capacity_held and host_id = $1',
      [host.id],
    );
    expect(rows[0]?.taken).toBe(3);
  });

  it('wakes as many queued runs as there are free places, though the first that was woken has not moved yet', async () => {
    await seeHost(test.db.pool, { id: uuidv7(), name: 'one', capacity: 8, provider: 'bubblewrap' });
    const organization = await createOrganization(test.db);
    const holders = [0, 1].map(() => createRun(test.db, { in: organization, status: 'created' }));
    for (const holder of holders) expect((await admit(await holder, 2)).admitted).toBe(true);
    const waiting = [0, 1].map(() => createRun(test.db, { in: organization, status: 'queued' }));
    const ids = (await Promise.all(waiting)).map((run) => run.sessionId);
    for (const holder of holders) await releaseCapacity(test.db, { ...(await holder), globalMax: 2, tenantMax: null });
    const woken = await readStaleOutbox(test.db.pool, 0, 10);
    expect(new Set(woken.map((row) => row.sessionId))).toEqual(new Set(ids));
  });

  it('wakes the next in line when the run at the head of the queue is cancelled', async () => {
    const organization = await createOrganization(test.db);
    const [head, next] = [
      await createRun(test.db, { in: organization, status: 'queued' }),
      await createRun(test.db, { in: organization, status: 'queued' }),
    ];
    expect(await claim(next, 1, null)).toBe('behind');
    await test.db.withTenant(head.organizationId, async (tx) => {
      await recordIntent(tx, head.sessionId, { outcome: 'cancelled', reason: 'cancelled by user', wantsQuiesce: true });
      await moveRun(tx, head.sessionId, 'queued', 'finalizing', 'cancelled by user');
      await concludeRun(tx, head.sessionId, { globalMaxActive: 1, tenantMaxActive: null });
    });
    const woken = (await readStaleOutbox(test.db.pool, 0, 10)).filter((row) => row.kind === 'capacity');
    expect(woken.map((row) => row.sessionId)).toEqual([next.sessionId]);
  });

  it('heals drifted counters by recounting', async () => {
    const run = await createRun(test.db, { status: 'created' });
    await claim(run, null, null);
    await test.owner.query('update capacity_counters set active = 9');
    expect(await recountCapacity(test.db.pool)).toBe(2);
    expect(await counters()).toEqual({ deployment: 1, [run.organizationId]: 1 });
    expect(await recountCapacity(test.db.pool)).toBe(0);
  });

  it('keeps claims, moves and appends free of deadlocks', async () => {
    const organization = await createOrganization(test.db);
    const runs = await Promise.all(
      Array.from({ length: 12 }, () => createRun(test.db, { in: organization, status: 'created' })),
    );
    await Promise.all(
      runs.flatMap((run) => [
        claim(run, null, null),
        test.db.withTenant(run.organizationId, (tx) =>
          moveRun(tx, run.sessionId, ['created', 'queued'], 'provisioning', null),
        ),
        releaseCapacity(test.db, { ...run, globalMax: null, tenantMax: null }),
        recountCapacity(test.db.pool),
      ]),
    );
    await recountCapacity(test.db.pool);
    const { rows } = await test.owner.query<{ held: number }>(
      'select count(*)::int as held from sessions where capacity_held',
    );
    expect((await counters())['deployment']).toBe(rows[0]?.held);
  });
});
