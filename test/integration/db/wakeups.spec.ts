import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '../../../src/core/record/database.js';
import { deleteOutbox, readStaleOutbox, type OutboxRow } from '../../../src/core/record/outbox.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, type FixtureRun } from '../../support/runs/run-fixture.js';

const append = (db: Database, run: FixtureRun): Promise<number[]> =>
  db.withTenant(run.organizationId, (tx) =>
    tx.append(run.runId, [{ actor: 'system', type: 'run.error', data: { message: 'x' } }]),
  );

/** Resolves at the callback; rejects after a while, so that a lost wake-up fails instead of hanging. */
function called(subscribe: (callback: () => void) => () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no wake-up within 60 s')), 60_000);
    const stop = subscribe(() => {
      clearTimeout(timer);
      stop();
      resolve();
    });
  });
}

describe('wake-ups', () => {
  let test: TestDatabase;
  let other: Database;
  beforeAll(async () => {
    test = await createTestDatabase();
    other = await test.connect();
    await other.wakeups.listen();
  });
  afterAll(() => test.close());

  it('CP-005 reach the process itself and others after commit, and nobody after a rollback', async () => {
    const run = await createRun(test.db);
    let early = 0;
    const stop = test.db.wakeups.onSession(run.runId, () => (early += 1));
    await expect(
      test.db.withTenant(run.organizationId, async (tx) => {
        await tx.append(run.runId, [{ actor: 'system', type: 'run.error', data: { message: 'x' } }]);
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(early).toBe(0);
    const heard = called((callback) => other.wakeups.onSession(run.runId, callback));
    await append(test.db, run);
    expect(early).toBe(1);
    await heard;
    stop();
  });

  it('are batched: one notification for many runs, more only when they do not fit', async () => {
    const { rows: before } = await countNotifications(test);
    const runs = Array.from({ length: 200 }, () => crypto.randomUUID());
    const heard = Promise.all(runs.map((id) => called((callback) => other.wakeups.onSession(id, callback))));
    for (const id of runs) test.db.wakeups.publish(id);
    await heard;
    const { rows: after } = await countNotifications(test);
    expect(Number(after[0]?.commits) - Number(before[0]?.commits)).toBeLessThan(20);
  });

  it('CP-198 come back after the listening connection was lost, and say so', async () => {
    const run = await createRun(test.db);
    const reconnected = once(other.wakeups, 'reconnected', { signal: AbortSignal.timeout(60_000) });
    await test.owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%-listen' and datname = current_database()`,
    );
    await reconnected;
    const heard = called((callback) => other.wakeups.onSession(run.runId, callback));
    await append(test.db, run);
    await heard;
  });

  it('leave an outbox row for the relay when no driver can be reached', async () => {
    const run = await createRun(test.db);
    await test.db.withTenant(run.organizationId, (tx) => tx.enqueue(run.runId, 'created'));
    expect(await readStaleOutbox(test.db.pool, 60_000, 10)).toEqual([]);
    const rows = await readStaleOutbox(test.db.pool, 0, 10);
    expect(rows).toMatchObject([{ organizationId: run.organizationId, subjectId: run.runId, kind: 'created' }]);
    await deleteOutbox(
      test.db.pool,
      rows.map((row) => row.id),
    );
    expect(await readStaleOutbox(test.db.pool, 0, 10)).toEqual([]);
  });

  it('hand outbox rows to the dispatcher after commit only', async () => {
    const run = await createRun(test.db);
    const sent: OutboxRow[] = [];
    test.db.outbox = { dispatch: (rows) => sent.push(...rows) };
    await test.db.withTenant(run.organizationId, async (tx) => {
      await tx.enqueue(run.runId, 'finalization_requested');
      expect(sent).toEqual([]);
    });
    await expect(
      test.db.withTenant(run.organizationId, async (tx) => {
        await tx.enqueue(run.runId, 'created');
        throw new Error('rolled back');
      }),
    ).rejects.toThrow();
    test.db.outbox = null;
    expect(sent.map((row) => row.kind)).toEqual(['finalization_requested']);
    expect((await readStaleOutbox(test.db.pool, 0, 10)).map((row) => row.id)).toEqual(sent.map((row) => row.id));
  });
});

function countNotifications(test: TestDatabase): Promise<{ rows: { commits: string }[] }> {
  return test.owner.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  );
}
