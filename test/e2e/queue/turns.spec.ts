import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ADMITTED_RUNS, expectTurnsKept, type AdmittedRun } from '../../support/runs/admission-turns.js';
import { LiveStack, QUICK_MAINTENANCE } from '../../support/installation/live-stack.js';
import { StackDatabase } from '../../support/installation/stack-database.js';

/** Of each of three organizations; the nightly campaign runs 100. */
const RUNS_EACH = Number(process.env['TEST_QUEUE_RUNS'] ?? 8);
const ORGANIZATIONS = 3;
const TOTAL = RUNS_EACH * ORGANIZATIONS;

describe('organizations take turns', () => {
  let stack: LiveStack;
  let database: StackDatabase;

  beforeAll(async () => {
    // However slow the machine is, no run of a long line may give up waiting.
    stack = await LiveStack.start({
      ...QUICK_MAINTENANCE,
      SERVICE_CAPACITY_GLOBAL_MAX_ACTIVE: '3',
      SERVICE_QUEUE_TTL_SECS: '86400',
    });
    database = StackDatabase.of(stack);
    await stack.createReplayAgent('worker-bee', 'unrestricted');
  }, 120_000);

  afterAll(async () => {
    await stack?.stop();
  }, 120_000);

  const ended = async (organizations: string[]): Promise<number> => {
    const [row] = await database.query<{ ended: number }>(
      'select count(*)::int as ended from sessions where tenant_id = any ($1) and finished_at is not null',
      [organizations],
    );
    return row?.ended ?? 0;
  };

  it(
    `CP-131 CP-143 ${TOTAL} runs of three organizations keep their turns, and kill -9 of the worker in the middle loses none`,
    async () => {
      const template = await stack.startRun('worker-bee', [
        { tool: 'Bash', input: { command: 'echo hello > hello.txt' } },
      ]);
      await stack.untilTerminal(template);
      const organizations = await database.copyRun(template, ORGANIZATIONS, RUNS_EACH);
      const within = 60_000 + TOTAL * 4000;
      await stack.until('a third of the runs', within, async () =>
        (await ended(organizations)) >= TOTAL / 3 ? true : undefined,
      );
      stack.kill('worker');
      await stack.until('all runs', within, async () => ((await ended(organizations)) === TOTAL ? true : undefined));

      const outcomes = await database.query<{ status: string; status_reason: string | null; runs: number }>(
        'select status, status_reason, count(*)::int as runs from sessions where tenant_id = any ($1) group by 1, 2',
        [organizations],
      );
      expect(outcomes).toEqual([{ status: 'completed', status_reason: 'the runner reported its result', runs: TOTAL }]);
      const admitted = (await database.query<AdmittedRun>(ADMITTED_RUNS)).filter((run) =>
        organizations.includes(run.organization),
      );
      expect(admitted).toHaveLength(TOTAL);
      expectTurnsKept(admitted, organizations);
      const whole = await database.query<{ runs: number }>(
        `select count(*)::int as runs from sessions s where tenant_id = any ($1)
          and (select count(*) = max(seq) and count(*) filter (where type = 'run.result') = 1 from events e where e.session_id = s.id)
          and exists (select from artifacts a where a.session_id = s.id and a.kind = 'diff')`,
        [organizations],
      );
      expect(whole).toEqual([{ runs: TOTAL }]);
      expect(await database.capacity()).toEqual({ counted: 0, held: 0 });
      await stack.until('every folder of ended runs to be gone', 60_000, () =>
        Promise.resolve(readdirSync(join(stack.dataDir, 'runs')).length === 0 ? true : undefined),
      );
    },
    300_000 + TOTAL * 10_000,
  );
});
