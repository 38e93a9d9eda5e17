import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@temporalio/client';
import { deleteOutbox, readStaleOutbox, type OutboxRow } from '../../../src/core/record/outbox.js';
import { TemporalOutboxDispatcher } from '../../../src/core/driver/outbox-dispatcher.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization, createRun, type FixtureRun } from '../../support/runs/run-fixture.js';

/** What the client throws when no server answers. */
function away(): Error {
  const cause = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} });
  return new ServiceError('Failed to start', { cause });
}

describe('the outbox', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function fill(count: number): Promise<{ runs: FixtureRun[]; rows: OutboxRow[] }> {
    await deleteOutbox(
      test.db.pool,
      (await test.owner.query<{ id: string }>('select id from driver_outbox')).rows.map((row) => row.id),
    );
    const organization = await createOrganization(test.db);
    const runs: FixtureRun[] = [];
    for (let n = 0; n < count; n += 1) {
      const run = await createRun(test.db, { in: organization });
      await test.db.withTenant(run.organizationId, (tx) => tx.enqueue(run.runId, 'finalization_requested'));
      runs.push(run);
    }
    return { runs, rows: await readStaleOutbox(test.db.pool, 0, 500) };
  }

  function dispatcher(wake: (runId: string) => void): {
    sent: string[];
    lost: string[];
    all: TemporalOutboxDispatcher;
  } {
    const [sent, lost]: [string[], string[]] = [[], []];
    const driver = {
      wake: async (run: { subjectId: string }) => {
        await Promise.resolve();
        wake(run.subjectId);
        sent.push(run.subjectId);
      },
    };
    const onUndelivered = (rows: OutboxRow[]) => void lost.push(...rows.map((row) => row.subjectId));
    return { sent, lost, all: new TemporalOutboxDispatcher(driver, test.db.pool, onUndelivered) };
  }

  it('CP-131 a wake-up that always fails holds up no other, and steps back ever further', async () => {
    const { runs, rows } = await fill(6);
    const poison = runs[0]?.runId;
    const { sent, lost, all } = dispatcher((id) => {
      if (id === poison) throw new Error('this one never works');
    });
    const clock = async (): Promise<number> =>
      (await test.owner.query<{ at: number }>('select extract(epoch from clock_timestamp())::float8 as at')).rows[0]!
        .at;
    let before = await clock();
    await all.deliver(rows);
    expect(new Set(sent)).toEqual(new Set(runs.slice(1).map((run) => run.runId)));
    expect(lost).toEqual([poison]);
    expect(await readStaleOutbox(test.db.pool, 0, 500)).toEqual([]);
    for (const waitSecs of [2, 4, 8]) {
      const { rows: left } = await test.owner.query<{ at: number }>(
        'select extract(epoch from retry_at)::float8 as at from driver_outbox',
      );
      expect(left).toHaveLength(1);
      expect(left[0]!.at).toBeGreaterThanOrEqual(before + waitSecs);
      expect(left[0]!.at).toBeLessThanOrEqual((await clock()) + waitSecs);
      await test.owner.query('update driver_outbox set retry_at = clock_timestamp()');
      before = await clock();
      await all.deliver(await readStaleOutbox(test.db.pool, 0, 500));
    }
  });

  it('CP-131 rows that were refused come behind those that were not yet tried', async () => {
    const { runs } = await fill(3);
    await test.owner.query(
      'update driver_outbox set attempts = 3, retry_at = clock_timestamp() where subject_id = $1',
      [runs[0]?.runId],
    );
    const order = (await readStaleOutbox(test.db.pool, 0, 500)).map((row) => row.subjectId);
    expect(order).toEqual([runs[1], runs[2], runs[0]].map((run) => run?.runId));
  });

  it('CP-131 while the driver is away the rows stay as they are, and the batch is given up soon', async () => {
    const { rows } = await fill(40);
    let tries = 0;
    const { all } = dispatcher(() => {
      tries += 1;
      throw away();
    });
    await expect(all.deliver(rows)).rejects.toThrow('Failed to start');
    expect(tries).toBeLessThan(17);
    expect(await readStaleOutbox(test.db.pool, 0, 500)).toHaveLength(40);
  });

  it('CP-131 several wake-ups of one kind are one signal', async () => {
    const { runs } = await fill(1);
    const [run] = runs as [FixtureRun];
    await test.db.withTenant(run.organizationId, async (tx) => {
      for (let n = 0; n < 3; n += 1) await tx.enqueue(run.runId, 'finalization_requested');
      await tx.enqueue(run.runId, 'capacity');
    });
    const { sent, all } = dispatcher(() => undefined);
    await all.deliver(await readStaleOutbox(test.db.pool, 0, 500));
    expect(sent).toHaveLength(2);
    expect(await readStaleOutbox(test.db.pool, 0, 500)).toEqual([]);
  });
});
