import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { seededPolicyContent } from '../../support/policies/seeded-policies.js';
import { GateBench, NOT_APPROVED } from '../../support/gate/gate-bench.js';

const ALLOW = { decision: 'allow' };
const INACTIVE = { decision: 'deny', message: 'session is not active' };
const FIND = { find: { type: 'object', required: ['q'], properties: { q: { type: 'string' } } } };
const F2 = {
  tools: [
    { match: ['*'], action: 'deny' },
    { match: ['Read'], action: 'allow' },
  ],
};
const DENIES_MCP = { tools: [{ match: ['mcp__*'], action: 'deny', risk: 'no MCP here' }] };

let bench: GateBench;
beforeAll(async () => {
  bench = await GateBench.start();
});
afterAll(() => bench.close());

describe('worked examples of the gate', () => {
  it('CP-317 49: the read-only tier denies what an unrestricted policy allows, and says so', async () => {
    const run = await createGatedRun(bench.db, {
      policy: seededPolicyContent('unrestricted'),
      trustTier: 'read_only',
    });
    const calls: [string, unknown][] = [
      ['Edit', { file_path: '/workspace/a' }],
      ['TodoWrite', {}],
      ['BashOutput', {}],
      ['Bash', {}],
    ];
    for (const [tool, input] of calls) {
      expect(await bench.ask(run, tool, tool, input)).toMatchObject({
        message: expect.stringContaining('read-only trust tier'),
      });
    }
    expect(await bench.decisions(run)).toEqual(calls.map(([tool]) => [tool, 'deny', 'trust_tier', 'allow']));
  });

  it('CP-317 50: what passes the tier is for policy to allow', async () => {
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('default'), trustTier: 'read_only' });
    expect(await bench.ask(run, 'a', 'Bash', { command: 'cat a.txt' })).toEqual(ALLOW);
    expect(await bench.ask(run, 'b', 'Bash', { command: 'cat a | wc' })).toMatchObject({ decision: 'deny' });
    expect(await bench.decisions(run)).toEqual([
      ['a', 'allow', 'policy', null],
      ['b', 'deny', 'trust_tier', 'allow'],
    ]);
  });

  it('CP-317 51: the tier knows prefixes of commands, not what their options do', async () => {
    const run = await createGatedRun(bench.db, {
      policy: seededPolicyContent('unrestricted'),
      trustTier: 'read_only',
    });
    expect(await bench.ask(run, 'a', 'Bash', { command: 'git branch -D x' })).toEqual(ALLOW);
  });

  it('CP-317 52: a read-safe call that policy denies is denied by policy', async () => {
    const run = await createGatedRun(bench.db, { policy: F2, trustTier: 'read_only' });
    expect(await bench.ask(run, 'a', 'Glob')).toEqual({ decision: 'deny', message: 'denied by policy' });
    expect(await bench.decisions(run)).toEqual([['a', 'deny', 'policy', null]]);
    expect(await bench.reasons(run)).toEqual(['denied by policy']);
  });

  it('CP-311 53: with nothing frozen no MCP name passes, well-formed or not', async () => {
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted') });
    expect(await bench.ask(run, 'a', 'mcp__ghost__x')).toMatchObject({
      message: expect.stringContaining('frozen capability set'),
    });
    expect(await bench.ask(run, 'b', 'mcp__kb')).toEqual({ decision: 'deny', message: 'malformed MCP tool name' });
    expect(await bench.decisions(run)).toEqual([
      ['a', 'deny', 'capability', null],
      ['b', 'deny', 'capability', null],
    ]);
  });

  it('CP-313 54: arguments meet the frozen schema before policy is asked', async () => {
    const run = await createGatedRun(bench.db, { policy: DENIES_MCP, kb: FIND });
    expect(await bench.ask(run, 'a', 'mcp__kb__find', {})).toEqual({
      decision: 'deny',
      message: 'arguments rejected by frozen schema: (root)',
    });
    expect(await bench.ask(run, 'b', 'mcp__kb__find', { q: 'a' })).toEqual({
      decision: 'deny',
      message: 'no MCP here',
    });
    expect(await bench.decisions(run)).toEqual([
      ['a', 'deny', 'schema', null],
      ['b', 'deny', 'policy', null],
    ]);
    expect(await bench.reasons(run)).toEqual(['arguments rejected by frozen schema: (root)', 'no MCP here']);
  });

  it('CP-317 55: the schema comes before a tier that would deny as well', async () => {
    const run = await createGatedRun(bench.db, { policy: DENIES_MCP, kb: FIND, trustTier: 'read_only' });
    await bench.ask(run, 'a', 'mcp__kb__find', {});
    await bench.ask(run, 'b', 'mcp__kb__find', { q: 'a' });
    expect(await bench.decisions(run)).toEqual([
      ['a', 'deny', 'schema', null],
      ['b', 'deny', 'trust_tier', 'deny'],
    ]);
  });

  it('CP-316 56: a frozen schema that refers elsewhere makes its tool un-callable', async () => {
    const kb = { find: { properties: { q: { $ref: 'https://example.com/q.json' } } } };
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb });
    for (const [id, input] of [
      ['a', {}],
      ['b', { q: 'a' }],
    ] as const) {
      expect(await bench.ask(run, id, 'mcp__kb__find', input)).toEqual({
        decision: 'deny',
        message: 'frozen schema invalid — refresh the snapshot',
      });
    }
    const reason = 'frozen schema invalid — refresh the snapshot: it refers to something outside itself';
    expect(await bench.decisions(run)).toEqual(['a', 'b'].map((id) => [id, 'deny', 'schema', null]));
    expect(await bench.reasons(run)).toEqual([reason, reason]);
  });

  it('CP-130 57 58: an id keeps its call and its verdict', async () => {
    const run = await createGatedRun(bench.db, {
      policy: { tools: [{ match: ['Read'], action: 'allow' }, ...F2.tools] },
    });
    const again = async (input: object) => bench.ask(run, 't1', 'Read', input);
    expect([await again({ a: 1, b: 2 }), await again({ b: 2, a: 1 })]).toEqual([ALLOW, ALLOW]);
    expect(await again({ a: 2 })).toEqual({
      decision: 'deny',
      message: 'tool_call_id reused with different tool or input',
    });
    expect(await again({ a: 1, b: 2 })).toEqual(ALLOW);
    expect(await bench.ask(run, 't2', 'Write', {})).toEqual({ decision: 'deny', message: 'denied by policy' });
    expect(await bench.ask(run, 't2', 'Write', {})).toEqual(NOT_APPROVED);
    expect(await bench.decisions(run)).toEqual([
      ['t1', 'allow', 'policy', null],
      ['t1', 'deny', 'protocol_violation', null],
      ['t2', 'deny', 'policy', null],
    ]);
  });

  it('CP-076 59: the call above the cap ends the run, and no other is judged', async () => {
    const run = await createGatedRun(bench.db, {
      policy: seededPolicyContent('unrestricted'),
      budgets: { max_tool_calls: 2 },
    });
    expect([await bench.ask(run, 'a', 'Read'), await bench.ask(run, 'b', 'Read')]).toEqual([ALLOW, ALLOW]);
    expect(await bench.ask(run, 'c', 'Read')).toEqual({ decision: 'deny', message: 'tool-call budget exceeded' });
    expect(await bench.ask(run, 'd', 'Read')).toEqual(INACTIVE);
    const exceeded = (await readLedger(bench.db, run)).filter((line) => line.type === 'budget.exceeded');
    expect(exceeded.map((line) => line.data)).toEqual([{ budget: 'max_tool_calls', limit: '2', spent: '3' }]);
    expect(await readRows(bench.db, run, 'select outcome from session_finalizations where session_id = $1')).toEqual([
      { outcome: 'budget_exceeded' },
    ]);
  });

  it('CP-150 60: two requests of one id ask once and hear one answer', async () => {
    const run = await createGatedRun(bench.db);
    const both = [bench.ask(run, 'a', 'Deploy', {}), bench.ask(run, 'a', 'Deploy', {})];
    await bench.decide(run, await bench.pendingApproval(run));
    expect(await Promise.all(both)).toEqual([ALLOW, ALLOW]);
    expect((await readLedger(bench.db, run)).map((line) => line.type)).toEqual([
      'tool.requested',
      'approval.requested',
      'approval.decided',
      'tool.decision',
    ]);
    expect(await readRows(bench.db, run, 'select 1 from approvals where session_id = $1')).toHaveLength(1);
  });

  it('CP-149 61: a late approval of a cancelled run releases nothing, and one event says so', async () => {
    const run = await createGatedRun(bench.db);
    const waiting = [bench.ask(run, 'a', 'Deploy', {}), bench.ask(run, 'a', 'Deploy', {})];
    const approval = await bench.pendingApproval(run);
    await bench.db.withTenant(run.organizationId, async (tx) => {
      await requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true });
      await moveRun(tx, run.runId, 'awaiting_approval', 'cancelling', null);
    });
    await bench.decide(run, approval);
    expect(await Promise.all(waiting)).toEqual([INACTIVE, INACTIVE]);
    expect(await bench.decisions(run)).toEqual([
      ['a', 'allow', 'human', null],
      ['a', 'deny', 'session_terminal', 'require_approval'],
    ]);
  });

  it('CP-149 62: an approval past its deadline is denied by the clock', async () => {
    const run = await createGatedRun(bench.db, { policy: { approvals: { default_ttl_secs: 1 } } });
    expect(await bench.ask(run, 'a', 'Deploy', {})).toEqual(NOT_APPROVED);
    expect((await readLedger(bench.db, run)).slice(2)).toMatchObject([
      { type: 'approval.decided', data: { decided_by: 'timeout' } },
      { type: 'tool.decision', data: { verdict: 'deny', source: 'human', reason: 'human:timeout' } },
    ]);
  });

  it('CP-287 63: a token of another audience registers nothing', async () => {
    const run = await createGatedRun(bench.db, { policy: seededPolicyContent('unrestricted'), kb: FIND });
    for (const token of [run.tokens.control, run.tokens.llm, run.tokens.workspace]) {
      for (const tool of ['Read', 'mcp__kb__find']) {
        const answer = await post(`${bench.plane.url}/internal/permission`, token, {
          tool_call_id: 'a',
          tool,
          input: {},
        });
        expect(answer).toMatchObject({ status: 403, body: { error: 'wrong_audience' } });
      }
    }
    expect(await readLedger(bench.db, run)).toEqual([]);
    expect(await readRows(bench.db, run, 'select 1 from approvals where session_id = $1')).toEqual([]);
  });
});
