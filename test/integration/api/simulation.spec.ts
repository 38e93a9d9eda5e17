import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SimulatePolicy } from '../../../src/api/simulation/simulation.dto.js';
import type { JsonObject } from '../../../src/domain/json.js';
import { type TestApi } from '../../support/api/api.js';
import { createOrganization } from '../../support/runs/run-fixture.js';
import { bash, SimulationBench } from '../../support/policies/simulation-bench.js';

const DENY_ALL: JsonObject = { name: 'draft', defaults: { tool_action: 'deny' } };

let bench: SimulationBench;
let api: TestApi;
beforeAll(async () => {
  bench = await SimulationBench.start();
  ({ api } = bench);
});
afterAll(() => api.close());

describe('a draft against recorded calls', () => {
  it('groups what would change, with examples that lead to the call in its ledger', async () => {
    const organization = await bench.ownPolicy('groups');
    const run = await bench.pastRun(
      organization,
      bash('git push origin main', 'git push -f', 'ls', 'curl http://x', 'ls && curl y'),
    );
    const draft = {
      name: 'stricter',
      tools: [
        {
          match: ['Bash'],
          action: 'allow',
          risk: 'asks',
          shell: { allow_prefixes: ['ls'], deny_regex: ['\\bcurl\\b'] },
        },
      ],
    };
    const answer = await bench.simulate('groups', { content: draft });
    expect(answer.draft).toMatchObject({ name: 'stricter', policy_engine: 2 });
    expect(answer.totals).toEqual({
      calls: 5, runs: 1, unchanged: 1, changed: 4, unknown: 0, loosened: 0, tightened: 4, asked_differently: 0,
    }); // prettier-ignore
    expect(
      answer.changes.map(({ from, to, tool, shape, calls, after }) => [from, to, tool, shape, calls, after.pattern]),
    ).toEqual([
      ['allow', 'require_approval', 'Bash', 'git', 2, null],
      ['allow', 'deny', 'Bash', 'curl', 1, '\\bcurl\\b'],
      ['allow', 'deny', 'Bash', 'curl, ls', 1, '\\bcurl\\b'],
    ]);
    expect(answer.runs).toEqual([
      expect.objectContaining({
        session_id: run.runId,
        path: `/v1/sessions/${run.runId}`,
        calls: 5,
        changed: 4,
      }),
    ]);
    const [example] = answer.changes[1]!.examples;
    expect(example).toMatchObject({
      session_id: run.runId,
      tool_call_id: 'call-0003',
      summary: 'curl http://x',
      recorded: { answer: 'allow', source: 'policy', why: null },
      before: { verdict: 'allow', explanation: { decided_by: 'rule_action', rule: 0 } },
      after: {
        verdict: 'deny',
        explanation: { decided_by: 'deny_regex', pattern: '\\bcurl\\b', subject: 'curl http://x' },
      },
    });
    const { events } = (await api.get(example!.links.events!)).body;
    expect(events[0]).toMatchObject({
      seq: example!.event_seq,
      type: 'tool.requested',
      payload: { data: { tool_call_id: 'call-0003' } },
    });
    expect((await api.get(example!.links.run)).status).toBe(200);
  });

  it('CP-030 never shows calls of another organization, however wide it is asked', async () => {
    const foreign = await createOrganization(api.db);
    const theirs = await bench.pastRun(foreign, bash('cat their-secret'));
    const organization = await bench.ownPolicy('isolated');
    await bench.pastRun(organization, bash('ls'));
    const wide = await bench.simulate('isolated', { content: DENY_ALL, all_policies: true });
    expect(JSON.stringify(wide)).not.toContain('their-secret');
    expect(JSON.stringify(wide)).not.toContain(theirs.runId);
    expect(wide.totals.calls).toBeGreaterThan(1);
    const named = await bench.simulate('isolated', {
      content: DENY_ALL,
      all_policies: true,
      session_ids: [theirs.runId],
    });
    expect([named.totals.calls, named.runs]).toEqual([0, []]);
  });

  it('takes the runs of the policy only, and narrows by agent, run, time and tool', async () => {
    const organization = await bench.ownPolicy('narrow');
    const other = await bench.ownPolicy('narrow-other');
    const first = await bench.pastRun(organization, [...bash('ls'), { id: 'm', tool: 'mcp__kb__find', input: {} }]);
    const second = await bench.pastRun(organization, bash('ls'));
    await bench.pastRun(other, bash('ls'));
    await api.database.owner.query(`update approvals set requested_at = '2026-01-01T00:00:00Z' where session_id = $1`, [
      second.runId,
    ]);
    const calls = async (more: Partial<SimulatePolicy>): Promise<number> =>
      (await bench.simulate('narrow', { content: DENY_ALL, ...more })).totals.calls;
    expect(await calls({})).toBe(3);
    expect(await calls({ agent: 'of-narrow' })).toBe(3);
    expect(await calls({ agent: 'of-narrow-other' })).toBe(0);
    expect(await calls({ agent: 'of-narrow-other', all_policies: true })).toBe(1);
    expect(await calls({ session_ids: [first.runId] })).toBe(2);
    expect(await calls({ tools: ['Bash'] })).toBe(2);
    expect(await calls({ tools: ['mcp__*', 'Read'] })).toBe(1);
    expect(await calls({ since: '2026-06-01T00:00:00Z' })).toBe(2);
    expect(await calls({ until: '2026-06-01T00:00:00Z' })).toBe(0);
    await api.database.owner.query(`update sessions set created_at = '2025-12-31T00:00:00Z' where id = $1`, [
      second.runId,
    ]);
    expect(await calls({ until: '2026-06-01T00:00:00Z' })).toBe(1);
  });

  it('examines the newest runs first up to the limit, and counts what it left', async () => {
    const organization = await bench.ownPolicy('limited');
    await bench.pastRun(organization, bash(...Array.from({ length: 300 }, (_, i) => `ls ${i}`)));
    const newest = await bench.pastRun(organization, bash(...Array.from({ length: 290 }, (_, i) => `cat ${i}`)));
    const answer = await bench.simulate('limited', { content: DENY_ALL, limit: 290 });
    expect(answer.limits).toEqual({ calls: 290, stopped: 'limit', not_examined: 300 });
    expect([answer.totals.calls, answer.runs.map((run) => run.session_id)]).toEqual([290, [newest.runId]]);
    const whole = await bench.simulate('limited', { content: DENY_ALL, limit: 590 });
    expect([whole.totals.calls, whole.limits]).toEqual([590, { calls: 590, stopped: null, not_examined: 0 }]);
    expect((await bench.simulate('limited', { content: DENY_ALL, limit: 10_000_000 })).limits.calls).toBe(50_000);
  });

  it('bounds its answer, says what it left out, and answers the same twice', async () => {
    const organization = await bench.ownPolicy('bounded');
    const commands = Array.from({ length: 130 }, (_, i) => `tool-${i} run`);
    for (let i = 0; i < 12; i += 1) await bench.pastRun(organization, bash('make', 'make test', 'make a', 'make b'));
    await bench.pastRun(organization, bash(...commands));
    const answer = await bench.simulate('bounded', { content: DENY_ALL });
    expect([answer.changes.length, answer.changes_left_out]).toEqual([100, { groups: 31, calls: 31 }]);
    const [most] = answer.changes;
    expect([most!.shape, most!.calls, most!.runs, most!.run_ids.length, most!.examples.length]).toEqual([
      'make',
      48,
      12,
      10,
      3,
    ]);
    expect(await bench.simulate('bounded', { content: DENY_ALL })).toEqual(answer);
  });

  it('what loosens stands before what tightens', async () => {
    const organization = await bench.ownPolicy('order');
    const tools = [
      { match: ['Bash'], action: 'allow' },
      { match: ['Read'], action: 'deny' },
    ];
    const read = { id: 'r', tool: 'Read', input: { file_path: '/workspace/src/a/b.ts' } };
    await bench.pastRun(organization, [...bash('a', 'a', 'a'), read], { tools });
    const draft = {
      name: 'x',
      tools: [
        { match: ['Bash'], action: 'approve' },
        { match: ['Read'], action: 'allow' },
      ],
    };
    const { changes, totals } = await bench.simulate('order', { content: draft });
    expect(changes.map(({ direction, tool, shape }) => [direction, tool, shape])).toEqual([
      ['loosened', 'Read', '/workspace/src/a/*'],
      ['tightened', 'Bash', 'a'],
    ]);
    expect([totals.loosened, totals.tightened]).toEqual([1, 3]);
  });

  it('redacts secrets in what it shows', async () => {
    const organization = await bench.ownPolicy('redacted');
    const secret = `ghp_${'aB3dEfGh1j'.repeat(3)}`;
    await bench.pastRun(
      organization,
      bash(`git clone https://${secret}@host`, `${secret} x`, `${'x'.repeat(190)} ${secret}`),
    );
    const draft = {
      name: 'x',
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: [], deny_regex: ['host'] } }],
    };
    const text = JSON.stringify(await bench.simulate('redacted', { content: draft }));
    expect(text).toContain('‹redacted›');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(0, 12));
  });
});

describe('what a simulation refuses', () => {
  it('CP-299 a draft that is no policy, two drafts, none, and filters that mean nothing', async () => {
    const refused = async (body: object): Promise<string> => {
      const answer = await bench.ask('default', body);
      expect(answer.status).toBe(400);
      return answer.body.error;
    };
    expect(await refused({})).toContain('content, yaml');
    expect(await refused({ content: DENY_ALL, yaml: 'name: x' })).toContain('content, yaml');
    expect(await refused({ yaml: 'name: x\npermitted: yes' })).toContain('permitted');
    expect(await refused({ yaml: 'name: [' })).toContain('invalid YAML');
    expect(await refused({ content: { name: 'x', tools: [{ match: ['a'], action: 'yes' }] } })).toContain(
      'tools[0].action',
    );
    expect(await refused({ content: DENY_ALL, agent: 'nobody' })).toContain('agent');
    expect(await refused({ content: DENY_ALL, since: 'yesterday' })).toContain('since');
    expect(await refused({ content: DENY_ALL, session_ids: ['x'] })).toContain('session_ids');
    expect(await refused({ content: DENY_ALL, tools: [] })).toContain('tools');
    expect(await refused({ content: DENY_ALL, limit: 0 })).toContain('limit');
  });

  it('CP-303 an unknown policy, and callers without a credential', async () => {
    expect((await bench.ask('no-such-policy', { content: DENY_ALL })).status).toBe(404);
    expect((await api.post('/v1/policies/default/simulate', { content: DENY_ALL }, { token: null })).status).toBe(401);
  });
});
