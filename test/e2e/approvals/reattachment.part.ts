import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Approval, LiveStack, Part } from '../../support/installation/live-stack.js';
import type { EnterStack } from '../../support/installation/share-stack.js';
import { eventsOf } from '../../support/installation/timeline.js';
import { pidOf } from '../../support/installation/part-pid.js';

const ASKS = [{ tool: 'Bash', input: { command: 'sh deploy.sh' } }, { say: 'done' }];
/** Long enough that the API can be stopped before it is over. */
const TTL_SECS = 8;

/** A call that waits for a human. */
export function asksOnce(enter: EnterStack): void {
  let stack: LiveStack;
  let record: pg.Client;
  beforeAll(async () => {
    stack = await enter();
    await stack.createReplayAgent('patient');
    await importPolicy('impatient', TTL_SECS);
    await importPolicy('immediate', 0);
    await stack.createReplayAgent('impatient', 'impatient');
    await stack.createReplayAgent('immediate', 'immediate');
    record = new pg.Client({ host: join(stack.dataDir, 'pg'), user: 'sandgate', database: 'sandgate' });
    await record.connect();
  });
  afterAll(() => record?.end());

  async function importPolicy(name: string, ttlSecs: number): Promise<void> {
    const yaml = `name: ${name}\ndefaults:\n  tool_action: approve\napprovals:\n  default_ttl_secs: ${ttlSecs}\ntools: []\n`;
    await stack.json('POST', '/v1/policies', { name, yaml });
  }

  const listed = async (run: string): Promise<Approval[]> =>
    (await stack.json<{ approvals: Approval[] }>('GET', `/v1/sessions/${run}/approvals`)).approvals;

  async function dataOf(run: string, type: string): Promise<Record<string, unknown>[]> {
    return eventsOf(await stack.timeline(run), type);
  }

  it.each<[string, Part[]]>([
    ['the API', ['api']],
    ['the worker', ['worker']],
    ['the API and the worker', ['api', 'worker']],
    ['the API twice', ['api', 'api']],
  ])(
    'CP-150 is the same question after kill -9 of %s, asked once and released once',
    async (_what, parts) => {
      const run = await stack.startRun('patient', ASKS);
      const approval = await stack.pendingApproval(run);
      for (const part of parts) {
        stack.kill(part);
        // Asked until the next API answers.
        await stack.json('GET', '/v1/health');
        expect((await listed(run)).map(({ id, status }) => [id, status])).toEqual([[approval.id, 'pending']]);
      }
      await stack.decide(approval.id, 'approved_once');
      expect((await stack.untilTerminal(run)).status).toBe('completed');
      expect((await listed(run)).map(({ id, status }) => [id, status])).toEqual([[approval.id, 'approved_once']]);
      for (const type of ['tool.requested', 'approval.requested', 'approval.decided', 'tool.decision']) {
        expect([type, (await dataOf(run, type)).length]).toEqual([type, 1]);
      }
    },
    120_000,
  );

  it('runs out by the timer of its workflow while no API answers anybody', async () => {
    const run = await stack.startRun('impatient', ASKS);
    const approval = await stack.pendingApproval(run);
    const api = pidOf(stack.installation, 'api');
    process.kill(-api, 'SIGSTOP');
    try {
      const row = await stack.until('the expiry', 60_000, async () => {
        const { rows } = await record.query<{ status: string; decided_by: string; late_ms: number }>(
          `select status, decided_by, extract(epoch from decided_at - expires_at)::float8 * 1000 as late_ms
             from approvals where id = $1`,
          [approval.id],
        );
        return rows[0]?.status === 'pending' ? undefined : rows[0];
      });
      expect(row).toMatchObject({ status: 'expired', decided_by: 'timeout' });
      expect(row.late_ms).toBeGreaterThanOrEqual(0);
      expect(row.late_ms).toBeLessThan(15_000);
    } finally {
      process.kill(-api, 'SIGCONT');
    }
    await stack.untilTerminal(run);
    expect((await stack.decide(approval.id, 'approved_once')).status).toBe('expired');
    expect(await dataOf(run, 'approval.decided')).toMatchObject([{ decision: 'expired', decided_by: 'timeout' }]);
    expect(await dataOf(run, 'tool.decision')).toMatchObject([{ verdict: 'deny', source: 'human' }]);
  }, 120_000);

  it('with a time of 0 runs out at once', async () => {
    const run = await stack.startRun('immediate', ASKS);
    expect((await stack.untilTerminal(run)).status).toBe('completed');
    expect((await listed(run)).map(({ status }) => status)).toEqual(['expired']);
    expect(await dataOf(run, 'approval.decided')).toMatchObject([{ decision: 'expired' }]);
  }, 120_000);

  it('CP-334 is told to whoever waits for the inbox, over the death of the API that held the wait', async () => {
    const inbox = (query: string) =>
      stack.json<{ approvals: Approval[]; cursor: string }>('GET', `/v1/approvals${query}`);
    const { cursor } = await inbox('');
    // Whoever waits asks again when a wait ends without news.
    const waiting = stack.until('the inbox to tell', 60_000, async () => {
      const answer = await inbox(`?wait=20&cursor=${cursor}`);
      return answer.approvals.length > 0 ? answer : undefined;
    });
    stack.kill('api');
    const [run, answer] = await Promise.all([stack.startRun('patient', ASKS), waiting]);
    expect(answer.approvals.map((approval) => approval.session_id)).toEqual([run]);
    await stack.decide(answer.approvals[0]!.id, 'denied');
    await stack.untilTerminal(run);
  }, 120_000);
}
