import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { join } from 'node:path';
import pg from 'pg';
import { LiveStack } from '../../support/installation/live-stack.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';

/** PostgreSQL and Temporal that somebody else runs: here those of another installation, in a database and a namespace apart. */
describe('a start on a configured PostgreSQL and Temporal', () => {
  let host: LiveStack;
  let stack: LiveStack;

  beforeAll(async () => {
    host = await LiveStack.start();
    const socketDir = join(host.dataDir, 'pg');
    await createDatabase(socketDir);
    await createNamespace(host.installation.temporalAddress);
    stack = await LiveStack.start({
      DATABASE_URL: `postgres://outsider@/elsewhere?host=${encodeURIComponent(socketDir)}`,
      TEMPORAL_ADDRESS: host.installation.temporalAddress,
      TEMPORAL_NAMESPACE: 'elsewhere',
    });
  }, 180_000);

  afterAll(async () => {
    await stack?.stop();
    await host?.stop();
  }, 120_000);

  it('starts no stores of its own and runs on theirs, as a login that is no superuser', async () => {
    expect(Object.keys(stack.installation.pids).toSorted()).toEqual(['api', 'worker']);
    await stack.createReplayAgent('guest');
    const run = await stack.startRun('guest', [{ tool: 'Bash', input: { command: 'echo hello > hello.txt' } }]);
    expect(await stack.untilTerminal(run)).toMatchObject({ status: 'completed' });
    await expectWholeLedger(stack, run);
  }, 120_000);
});

/** As an administrator would: a database of its own and a login that may create roles and is no superuser. */
async function createDatabase(socketDir: string): Promise<void> {
  const administrator = new pg.Client({ host: socketDir, user: 'sandgate', database: 'postgres' });
  await administrator.connect();
  await administrator.query('create role outsider login createrole');
  // The runtime roles belong to the cluster, and this cluster has them already.
  await administrator.query('grant sandgate_app, sandgate_system to outsider with admin option');
  await administrator.query('create database elsewhere owner outsider');
  await administrator.end();
}

async function createNamespace(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    namespace: 'elsewhere',
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  await connection.close();
}
