import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { TenantTransaction } from '../../../src/core/record/database.js';
import { withClient } from '../../../src/platform/postgres/one-off.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { untilHolds } from '../../support/time/until.js';

let test: TestDatabase;
let organization: string;
beforeAll(async () => {
  test = await createTestDatabase();
  organization = (await createOrganization(test.db)).organizationId;
});
afterAll(() => test?.close());

async function pidOf(tx: TenantTransaction): Promise<number | undefined> {
  const [own] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  return own?.pid;
}

const end = (pid: number | undefined) => test.owner.query('select pg_terminate_backend($1, 5000)', [pid]);

/** Ends the connection of a transaction from another one, and waits until this process has heard of it. */
async function breakConnection(tx: TenantTransaction): Promise<void> {
  await end(await pidOf(tx));
  await untilHolds(() => tx.manager.queryRunner?.isReleased === true);
}

/** What a client says whose connection is ended while it asks nothing. Were it not listened to, the process would end. */
async function tellsOfLoss(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const gone = new Promise<void>((resolve) => client.once('end', resolve));
  await end(rows[0]?.pid);
  await gone;
  await expect(client.query('select 1')).rejects.toThrow(/connection/i);
}

const UNAVAILABLE = { code: 'unavailable', message: 'the database cannot be reached at the moment' };

describe('a connection that breaks in a transaction', () => {
  it.each<[string, (tx: TenantTransaction) => Promise<unknown>]>([
    [
      'in a statement',
      async (tx) => {
        const pid = await pidOf(tx);
        await Promise.all([tx.query('select pg_sleep(20)'), end(pid)]);
      },
    ],
    [
      'between two statements',
      async (tx) => {
        await breakConnection(tx);
        return tx.query('select 1');
      },
    ],
    ['before the commit', breakConnection],
  ])(
    'CP-306 %s is a database that cannot be reached, and the next transaction has another one',
    async (_when, work) => {
      await expect(test.db.withTenant(organization, work)).rejects.toMatchObject(UNAVAILABLE);
      expect(await test.db.withTenant(organization, (tx) => tx.query('select 1 as one'))).toEqual([{ one: 1 }]);
    },
  );

  it('is told by the next statement of one that has its connection to itself, and by nothing else', async () => {
    await withClient({ connectionString: test.ownerUrl }, tellsOfLoss);
  });

  it('is told by the next statement of one that has taken it out of the pool, and by nothing else', async () => {
    const client = await test.db.pool.connect();
    await tellsOfLoss(client);
    client.release(true);
  });

  it('after the work has failed leaves the failure as it is', async () => {
    const failing = test.db.withTenant(organization, async (tx) => {
      await breakConnection(tx);
      throw new RangeError('the work has failed');
    });
    await expect(failing).rejects.toThrow(new RangeError('the work has failed'));
  });
});
