import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { admitRun } from '../../../src/core/launch/admission.js';
import { admitWaiting } from '../../../src/core/runs/capacity.js';
import { concludeRun } from '../../../src/core/finalization/conclusion.js';
import type { Database } from '../../../src/core/record/database.js';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { ADMITTED_RUNS, expectTurnsKept, type AdmittedRun } from '../../support/runs/admission-turns.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import {
  createOrganization,
  createRun,
  type FixtureOrganization,
  type FixtureRun,
} from '../../support/runs/run-fixture.js';

describe('the order of admission', () => {
  let test: TestDatabase;
  const opened: TestDatabase[] = [];
  beforeEach(async () => {
    test = await createTestDatabase();
    opened.push(test);
    await seeHost(test.db.pool, {
      id: uuidv7(),
      name: 'one',
      capacity: 500,
      provider: 'bubblewrap',
      harnesses: ['builtin', 'replay'],
    });
    // Nothing renews it here, and however long a test takes, its host is online.
    await test.owner.query(`update hosts set last_seen_at = now() + interval '1 hour'`);
  });
  afterAll(async () => {
    await Promise.all(opened.map((one) => one.close()));
  });

  const limits = (globalMaxActive: number | null, tenantMaxActive: number | null = null) => ({
    globalMaxActive,
    tenantMaxActive,
    queueTtlSecs: 900,
  });
  const queue = (organization: FixtureOrganization, count: number): Promise<FixtureRun[]> =>
    Promise.all(Array.from({ length: count }, () => createRun(test.db, { in: organization, status: 'created' })));

  /** What the driver does with a run that has a place, up to its end. */
  async function finish(db: Database, run: { organizationId: string; runId: string }): Promise<void> {
    await db.withTenant(run.organizationId, (tx) =>
      requestFinalization(tx, run.runId, { outcome: 'completed', reason: null, wantsQuiesce: false }),
    );
    await db.withTenant(run.organizationId, async (tx) => {
      await moveRun(tx, run.runId, ['provisioning', 'queued', 'created'], 'finalizing', null);
      await concludeRun(tx, run.runId);
    });
  }

  async function admissions(): Promise<AdmittedRun[]> {
    return (await test.owner.query<AdmittedRun>(ADMITTED_RUNS)).rows;
  }

  const organizationsOf = (runs: AdmittedRun[], known: FixtureOrganization[]): string =>
    runs.map(({ organization }) => 'ABC'[known.findIndex((one) => one.organizationId === organization)]).join('');

  it('CP-143 is first in first out inside an organization, whoever asks first', async () => {
    const organization = await createOrganization(test.db);
    const runs: FixtureRun[] = [];
    for (let n = 0; n < 6; n += 1) runs.push((await queue(organization, 1))[0] as FixtureRun);
    const askers = runs.toReversed();
    for (const run of askers) await admitRun(test.db, run, limits(2));
    await finish(test.db, runs[0] as FixtureRun);
    await admitWaiting(test.db, limits(2));
    expect((await admissions()).map((run) => run.id)).toEqual(runs.slice(0, 3).map((run) => run.runId));
  });

  it('places a run on a host with its harness; one without such a host waits, says why, and holds nobody up', async () => {
    const organization = await createOrganization(test.db);
    const codex = await createRun(test.db, { in: organization, status: 'created', harness: 'codex' });
    const [other] = await queue(organization, 1);
    expect(await admitRun(test.db, codex, limits(null))).toMatchObject({ admitted: false });
    expect((await admissions()).map((run) => run.id)).toEqual([other?.runId]);
    const { rows } = await test.owner.query<{ status_reason: string }>(
      'select status_reason from sessions where id = $1',
      [codex.runId],
    );
    expect(rows[0]?.status_reason).toBe('no sandbox host that is online has harness codex');
    const id = uuidv7();
    await seeHost(test.db.pool, { id, name: 'two', capacity: 1, provider: 'bubblewrap', harnesses: ['codex'] });
    expect(await admitRun(test.db, codex, limits(null))).toMatchObject({ admitted: true, hostId: id });
    // That host is full now, the other is not: whoever can run there goes on.
    const second = await createRun(test.db, { in: organization, status: 'created', harness: 'codex' });
    const [next] = await queue(organization, 1);
    expect(await admitRun(test.db, second, limits(null))).toMatchObject({ admitted: false });
    expect((await admissions()).map((run) => run.id)).toContain(next?.runId);
  });

  it('CP-143 two runs of the same instant are admitted in the order of their creation', async () => {
    const organization = await createOrganization(test.db);
    const [first, second] = [(await queue(organization, 1))[0], (await queue(organization, 1))[0]];
    await test.owner.query('update sessions set created_at = now()');
    await admitRun(test.db, second as FixtureRun, limits(1));
    expect((await admissions()).map((run) => run.id)).toEqual([first?.runId]);
  });

  it('an organization that floods the queue gets no second place before every other had its first', async () => {
    const known = [
      await createOrganization(test.db),
      await createOrganization(test.db),
      await createOrganization(test.db),
    ];
    const [flood, late, later] = known as [FixtureOrganization, FixtureOrganization, FixtureOrganization];
    await queue(flood, 40);
    for (let n = 0; n < 3; n += 1) await admitWaiting(test.db, limits(n + 1));
    await queue(late, 2);
    await admitWaiting(test.db, limits(4));
    await queue(later, 2);
    for (let n = 5; n < 10; n += 1) await admitWaiting(test.db, limits(n));
    expect(organizationsOf(await admissions(), known)).toBe('AAABCABCA');
  });

  it('passes over an organization at its cap, which then blocks nobody', async () => {
    const known = [await createOrganization(test.db), await createOrganization(test.db)];
    const [busy, quiet] = known as [FixtureOrganization, FixtureOrganization];
    await queue(busy, 10);
    await admitWaiting(test.db, limits(null, 2));
    await queue(quiet, 5);
    await admitWaiting(test.db, limits(6, 2));
    expect(organizationsOf(await admissions(), known)).toBe('AABB');
    const [first] = await admissions();
    await finish(test.db, { organizationId: busy.organizationId, runId: first?.id ?? '' });
    await admitWaiting(test.db, limits(6, 2));
    expect(organizationsOf(await admissions(), known)).toBe('AABBA');
  });

  it('300 runs of 3 organizations, driven by 4 processes, keep their turns; none is lost and the counters are true', async () => {
    const known = await Promise.all([0, 1, 2].map(() => createOrganization(test.db)));
    const runs: FixtureRun[] = [];
    for (const organization of known) runs.push(...(await queue(organization, 100)));
    const processes = await Promise.all(Array.from({ length: 4 }, () => test.connect({ poolSize: 4 })));
    await Promise.all(
      processes.map(async (db, lane) => {
        const mine = new Map(
          runs.filter((_run, index) => index % processes.length === lane).map((run) => [run.runId, run]),
        );
        // All come into line at once, the last ones first.
        for (const run of [...mine.values()].toReversed()) await admitRun(db, run, limits(7));
        while (mine.size > 0) {
          const { rows } = await test.owner.query<{ id: string }>(
            'select id from sessions where capacity_held and id = any ($1)',
            [[...mine.keys()]],
          );
          if (rows.length === 0) await sleep(5);
          for (const run of rows.flatMap(({ id }) => mine.get(id) ?? [])) {
            expect((await admitRun(db, run, limits(7))).admitted).toBe(true);
            await finish(db, run);
            mine.delete(run.runId);
            await admitWaiting(db, limits(7));
          }
        }
      }),
    );
    const admitted = await admissions();
    expect(new Set(admitted.map((run) => run.id))).toEqual(new Set(runs.map((run) => run.runId)));
    expectTurnsKept(
      admitted,
      known.map((one) => one.organizationId),
    );
    const { rows } = await test.owner.query<{ active: number; terminal: number }>(
      `select (select sum(active)::int from capacity_counters) as active,
              (select count(*)::int from sessions where status = 'completed' and not capacity_held) as terminal`,
    );
    expect(rows).toEqual([{ active: 0, terminal: 300 }]);
  }, 120_000);
});
