import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { embeddedDatabaseUrl } from '../../../src/embedded/postgres.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import { LiveStack, QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { nextRelease } from '../../support/database/next-release.js';
import { StackDatabase } from '../../support/installation/stack-database.js';
import { expectWholeLedger } from '../../support/runs/whole-ledger.js';
import { letGo, WORKS } from '../../support/runs/working-run.js';

const ASKS = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];

/** The installation is the version before; what the next one would do to its database is done beside it. */
describe('an upgrade while runs are under way', () => {
  let stack: LiveStack;
  let database: StackDatabase;
  let url: string;
  let asking: string;
  let working: string;

  beforeAll(async () => {
    stack = await LiveStack.start(QUICK_MAINTENANCE);
    database = StackDatabase.of(stack);
    url = embeddedDatabaseUrl({ postgresSocketDir: join(stack.dataDir, 'pg') });
    await stack.createReplayAgent('asking');
    await stack.createReplayAgent('working', 'unrestricted');
    asking = await stack.startRun('asking', ASKS);
    await stack.pendingApproval(asking);
    working = await stack.startRun('working', WORKS);
    await stack.untilStatus(working, 'running');
  }, 180_000);
  afterAll(() => stack?.stop(), 120_000);

  /** A whole run of the version before; its first heartbeat goes through the function that the next version has changed. */
  async function expectOrdinaryRun(): Promise<void> {
    const run = await stack.startRun('working', [{ tool: 'Bash', input: { command: 'echo hello' } }, { say: 'done' }]);
    expect((await stack.untilTerminal(run)).status).toBe('completed');
    await expectWholeLedger(stack, run);
    const [head] = await database.query<{ heartbeats: number }>(
      'select heartbeats from session_heads where session_id = $1',
      [run],
    );
    expect(head?.heartbeats).toBeGreaterThanOrEqual(1);
  }

  it('is one step, after which the version before begins and ends runs as ever', async () => {
    expect(await migrate(url, nextRelease())).toEqual(['CountHeartbeats1900000000000', 'functions/runs.sql']);
    await expectOrdinaryRun();
    expect((await stack.session(working)).status).toBe('running');
    expect((await stack.session(asking)).status).toBe('awaiting_approval');
  });

  it('lets the next version call what it brought, on runs of the version before', async () => {
    const [row] = await database.query<{ organization: string }>(
      'select tenant_id as organization from sessions where id = $1',
      [working],
    );
    const [answer] = await database.query<{ status: string; heartbeats: number }>(
      'select * from svc_count_heartbeat($1, $2, 100)',
      [row?.organization, working],
    );
    expect(answer?.status).toBe('running');
    expect(answer?.heartbeats).toBeGreaterThanOrEqual(100);
  });

  it('is not undone by processes of the version before that start again', async () => {
    expect(await migrate(url)).toEqual([]);
    stack.kill('api');
    stack.kill('worker');
    await expectOrdinaryRun();
  });

  it('lets the runs that were under way come to their end', async () => {
    await stack.decide((await stack.pendingApproval(asking)).id, 'approved_once');
    letGo(stack, working);
    for (const run of [asking, working]) {
      expect((await stack.untilTerminal(run)).status).toBe('completed');
      await expectWholeLedger(stack, run);
    }
  });
});
