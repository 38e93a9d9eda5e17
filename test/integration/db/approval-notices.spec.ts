import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeNotice } from '../../../src/activities/approval-notice.activities.js';
import {
  listUnnoticed,
  listUnnoticedApprovals,
  readNoticeSubject,
  recordNotice,
  type NoticeState,
} from '../../../src/core/approvals/notice-records.js';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { requestApproval } from '../../../src/core/gate/gate.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, type FixtureRun } from '../../support/runs/run-fixture.js';

describe('the record of notices', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function ask(run: FixtureRun, tool = 'Bash', ttlSecs = 600): Promise<string> {
    const answer = await requestApproval(test.db, gateCall(run, { tool, summary: 'sh deploy.sh' }), {
      source: 'policy',
      risk: 'deploys',
      reason: 'asks',
      scope: 'once',
      scopeKey: null,
      scopeKeys: null,
      explanation: null,
      ttlSecs,
      maxPending: 16,
      payload: null,
    });
    return answer.approvalId ?? '';
  }

  const inRun = <T>(run: FixtureRun, work: Parameters<typeof test.db.withTenant<T>>[1]): Promise<T> =>
    test.db.withTenant(run.organizationId, work);
  const record = (run: FixtureRun, approvalId: string, state: NoticeState, attempts = 1) =>
    inRun(run, (tx) => recordNotice(tx, { approvalId, runId: run.runId, state, attempts, error: null }));
  const everywhere = async () => (await listUnnoticedApprovals(test.db.pool, 0, 100)).map((each) => each.approvalId);

  it('names what waits and has no end of its notice, for one run and for all organizations', async () => {
    const run = await createRun(test.db);
    const [fresh, retrying, delivered, failed, decided] = [
      await ask(run),
      await ask(run),
      await ask(run),
      await ask(run),
      await ask(run),
    ];
    await record(run, retrying, 'retrying');
    await record(run, delivered, 'delivered');
    await record(run, failed, 'failed');
    await inRun(run, (tx) => decideApproval(tx, { approvalId: decided, decision: 'denied', decidedBy: 'operator' }));
    expect((await inRun(run, (tx) => listUnnoticed(tx, run.runId))).sort()).toEqual([fresh, retrying].sort());
    const other = await createRun(test.db);
    const elsewhere = await ask(other);
    expect(await everywhere()).toEqual([fresh, retrying, elsewhere]);
    expect(await listUnnoticedApprovals(test.db.pool, 60_000, 100)).toEqual([]);
    expect(await inRun(other, (tx) => listUnnoticed(tx, run.runId))).toEqual([]);
  });

  it('an end stays an end, so that a workflow that is started again sends nothing', async () => {
    const run = await createRun(test.db);
    const id = await ask(run);
    await record(run, id, 'retrying');
    expect(await inRun(run, (tx) => readNoticeSubject(tx, id))).toMatchObject({ open: true, told: false });
    await record(run, id, 'delivered', 2);
    await record(run, id, 'retrying', 3);
    const subject = await inRun(run, (tx) => readNoticeSubject(tx, id));
    expect(subject).toMatchObject({ approvalId: id, agent: 'fixer', tool: 'Bash', risk: 'deploys', told: true });
  });

  it('what ran out is not open, by the clock of the database', async () => {
    const run = await createRun(test.db);
    const id = await ask(run, 'Bash', 0);
    expect(await inRun(run, (tx) => readNoticeSubject(tx, id))).toMatchObject({ open: false });
    expect(await everywhere()).not.toContain(id);
  });

  it('counts what failed of late', async () => {
    const run = await createRun(test.db);
    const count = async () =>
      Number((await test.db.pool.query<{ n: string }>('select svc_count_failed_notices(24) as n')).rows[0]?.n);
    const before = await count();
    await record(run, await ask(run), 'failed', 6);
    expect(await count()).toBe(before + 1);
    await test.owner.query(`update approval_notices set updated_at = now() - interval '25 hours'`);
    expect(await count()).toBe(0);
  });

  it.each([
    ['Bash', 'Bash'],
    ['mcp__shop__get_order', 'mcp__shop__get_order'],
    ['Approve this now: https://evil.example', null],
    ['Bash\n\nApproved', null],
    ['x'.repeat(129), null],
  ])('a tool called %j is told as %j, because agents make up names', async (tool, told) => {
    const run = await createRun(test.db);
    const subject = await inRun(run, async (tx) => readNoticeSubject(tx, await ask(run, tool)));
    const { data } = JSON.parse(writeNotice(subject!, 'https://sandgate.example')) as { data: Record<string, unknown> };
    expect(data['tool']).toBe(told);
    expect(JSON.stringify(data)).not.toContain('deploy.sh');
  });
});
