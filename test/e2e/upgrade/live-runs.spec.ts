import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { embeddedDatabaseUrl } from '../../../src/embedded/postgres.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import { LiveStack, type Session } from '../../support/live-stack.js';
import { nextRelease } from '../../support/next-release.js';
import { StackDatabase } from '../../support/stack-database.js';
import { expectWholeLedger } from '../../support/whole-ledger.js';
import { letGo, WORKS } from '../../support/working-run.js';
import { join } from 'node:path';

const ASKS = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];

/** The installation is the version before; what the next one would do to its database is done beside it. */
describe('an upgrade while runs are under way', () => {
  let stack: LiveStack;
  let database: StackDatabase;
  let url: string;
  let asking: string;
  let working: string;

  beforeAll(async () => {
    stack = await LiveStack.start();
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

  const heartbeats = async (run: string): Promise<number> =>
    (
      await database.query<{ heartbeats: number }>('select heartbeats from session_heads where session_id = $1', [run])
    )[0]?.heartbeats ?? 0;

  it('is one step, which the processes of the version before do not notice', async () => {
    expect(await migrate(url, nextRelease())).toEqual(['CountHeartbeats1900000000000', 'functions/runs.sql']);
    // The new body counts the heartbeats that the old API goes on to record.
    await stack.until('two heartbeats', 60_000, async () => ((await heartbeats(working)) >= 2 ? true : undefined));
    expect((await stack.session(working)).status).toBe('running');
    expect(stack.notices.filter((notice) => /restart/i.test(notice))).toEqual([]);
  });

  it('lets the version before begin and end runs', async () => {
    const run = await stack.startRun('working', [{ tool: 'Bash', input: { command: 'echo hello' } }, { say: 'done' }]);
    expect((await stack.untilTerminal(run)).status).toBe('completed');
    await expectWholeLedger(stack, run);
  });

  it('lets the next version call what it brought, on runs of the version before', async () => {
    const { tenant_id: organization } = (
      await database.query<Session & { tenant_id: string }>('select tenant_id from sessions where id = $1', [working])
    )[0] ?? { tenant_id: '' };
    const [answer] = await database.query<{ status: string; heartbeats: number }>(
      'select * from svc_count_heartbeat($1, $2, 100)',
      [organization, working],
    );
    expect(answer?.status).toBe('running');
    expect(answer?.heartbeats).toBeGreaterThanOrEqual(102);
  });

  it('is not undone by a process of the version before that starts again', async () => {
    expect(await migrate(url)).toEqual([]);
    stack.kill('api');
    stack.kill('worker');
    const before = await heartbeats(working);
    await stack.until('more heartbeats', 60_000, async () => ((await heartbeats(working)) > before ? true : undefined));
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
