import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { decisions, kinds } from '../../support/gate/permission-calls.js';
import { GateBench, NOT_APPROVED } from '../../support/gate/gate-bench.js';

const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];
const DENY_ALL = [{ match: ['*'], action: 'deny' }];

let bench: GateBench;
beforeAll(async () => {
  bench = await GateBench.start(2);
});
afterAll(() => bench.close());

describe('an automatic verdict', () => {
  it('CP-292 CP-293 is on the record before it is answered', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    expect(await bench.ask(run, 'a', 'Bash', { command: 'ls' })).toEqual({ decision: 'allow' });
    const ledger = await readLedger(bench.db, run);
    expect(ledger).toMatchObject([
      { seq: 1, actor: 'agent', type: 'tool.requested', data: { tool_call_id: 'a', tool: 'Bash', summary: 'ls' } },
      {
        seq: 2,
        actor: 'system',
        type: 'tool.decision',
        data: { verdict: 'allow', source: 'policy', original_verdict: null },
      },
    ]);
    expect(ledger[0]?.data['input_digest']).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('CP-273 tools/call denies every brokered name with source capability and refuses others', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const call = (body: object) => post(`${bench.plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(await call({ tool_call_id: 'bkr_1', tool: 'mcp__kb__find', input: {} })).toMatchObject({
      status: 200,
      body: { ok: false, denied: true, message: expect.stringContaining('frozen capability set') },
    });
    expect(await call({ tool_call_id: 'x', tool: 'Bash', input: {} })).toMatchObject({ status: 400 });
    expect(await call({ tool: 'mcp__kb__find' })).toMatchObject({ status: 400 });
    expect(decisions(await readLedger(bench.db, run))).toEqual([['bkr_1', 'deny', 'capability', null]]);
  });

  it('CP-130 57 58: a repeated call gets its verdict again and is neither counted nor written', async () => {
    const run = await createGatedRun(bench.db, { tools: [{ match: ['Read'], action: 'allow' }, ...DENY_ALL] });
    expect(await bench.ask(run, 't1', 'Read', { a: 1, b: 2 })).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 't1', 'Read', { b: 2, a: 1 })).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 't1', 'Read', { a: 1 })).toEqual({
      decision: 'deny',
      message: 'tool_call_id reused with different tool or input',
    });
    expect(await bench.ask(run, 't1', 'Read', { a: 1, b: 2 })).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 't2', 'Write', {})).toMatchObject({ message: 'denied by policy' });
    expect(await bench.ask(run, 't2', 'Write', {})).toEqual(NOT_APPROVED);
    expect(decisions(await readLedger(bench.db, run))).toEqual([
      ['t1', 'allow', 'policy', null],
      ['t1', 'deny', 'protocol_violation', null],
      ['t2', 'deny', 'policy', null],
    ]);
    expect(await readRows(bench.db, run, 'select tool_calls from session_heads where session_id = $1')).toEqual([
      { tool_calls: 2 },
    ]);
  });

  it('CP-130 large integers do not collapse into one digest', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const raw = (n: string) =>
      post(
        `${bench.plane.url}/internal/permission`,
        run.tokens.tool,
        `{"tool_call_id":"n","tool":"Read","input":{"n":${n}}}`,
      );
    expect((await raw('9007199254740993')).body).toEqual({ decision: 'allow' });
    expect((await raw('9007199254740992')).body).toMatchObject({ decision: 'deny' });
    expect((await raw('9007199254740993')).body).toEqual({ decision: 'allow' });
  });

  it('CP-076 59: the call above the cap is denied, told, and ends the run', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL, budgets: { max_tool_calls: 2 } });
    await bench.ask(run, 'a', 'Read');
    await bench.ask(run, 'b', 'Read');
    expect(await bench.ask(run, 'c', 'Read')).toEqual({ decision: 'deny', message: 'tool-call budget exceeded' });
    const ledger = await readLedger(bench.db, run);
    expect(ledger.filter((line) => line.type === 'budget.exceeded')).toMatchObject([
      { data: { budget: 'max_tool_calls', limit: '2', spent: '3' } },
    ]);
    expect(decisions(ledger).at(-1)).toEqual(['c', 'deny', 'budget', null]);
    expect(
      await readRows(bench.db, run, 'select outcome, needs_quiesce from session_finalizations where session_id = $1'),
    ).toEqual([{ outcome: 'budget_exceeded', needs_quiesce: true }]);
    await bench.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'running', 'cancelling', null));
    expect(await bench.ask(run, 'd', 'Read')).toEqual({ decision: 'deny', message: 'session is not active' });
  });

  it('CP-076 64 callers never overspend a budget of ten calls', async () => {
    for (let trial = 0; trial < 5; trial += 1) {
      const run = await createGatedRun(bench.db, { tools: ALLOW_ALL, budgets: { max_tool_calls: 10 } });
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) =>
          bench.ask(run, `c${i}`, 'Read', undefined, i % 2 === 0 ? bench.plane : bench.second),
        ),
      );
      expect(answers.filter((answer) => (answer as { decision: string }).decision === 'allow')).toHaveLength(10);
      const ledger = await readLedger(bench.db, run);
      expect(ledger.filter((line) => line.type === 'budget.exceeded')).toHaveLength(1);
      expect(ledger.map((line) => line.seq)).toEqual(ledger.map((_, i) => i + 1));
    }
  });

  it('CP-077 an autonomous run is answered at once where a human would be asked', async () => {
    const run = await createGatedRun(bench.db, {
      tools: [{ match: ['Task'], action: 'approve', on_autonomous: 'allow' }],
      autonomy: 'autonomous',
    });
    expect(await bench.ask(run, 'a', 'Bash', { command: 'make' })).toMatchObject({ decision: 'deny' });
    expect(await bench.ask(run, 'b', 'Task')).toEqual({ decision: 'allow' });
    expect(decisions(await readLedger(bench.db, run))).toEqual([
      ['a', 'deny', 'autonomy_rewrite', 'require_approval'],
      ['b', 'allow', 'autonomy_rewrite', 'require_approval'],
    ]);
  });

  it.each(['queued', 'cancelling', 'finalizing', 'completed'] as const)(
    'CP-026 a run that is %s accepts no call',
    async (status) => {
      const run = await createGatedRun(bench.db, { tools: ALLOW_ALL, status });
      expect(await bench.ask(run, 'a', 'Read')).toEqual({ decision: 'deny', message: 'session is not active' });
      const brokered = await post(`${bench.plane.url}/internal/tools/call`, run.tokens.tool, {
        tool_call_id: 'a',
        tool: 'mcp__a__b',
      });
      expect(brokered).toMatchObject({ status: 400, body: { error: 'session is not active' } });
      expect(await readLedger(bench.db, run)).toEqual([]);
    },
  );
});

describe('a body that is no call', () => {
  it.each([
    ['malformed', '{"tool_call_id":"a",'],
    ['too deep', `{"tool_call_id":"a","tool":"Read","input":${'['.repeat(500)}${']'.repeat(500)}}`],
    [
      'too large',
      JSON.stringify({ tool_call_id: 'a', tool: 'Write', input: { content: 'x'.repeat(3 * 1024 * 1024) } }),
    ],
    ['of too many values', `{"tool_call_id":"a","tool":"Read","input":[${'0,'.repeat(70_000)}0]}`],
    ['prototype-named', '{"tool_call_id":"a","tool":"Read","input":{"__proto__":{"x":1}}}'],
    ['without an id', '{"tool":"Read"}'],
  ])('CP-292 that is %s is a recorded denial, never a 4xx', async (_what, body) => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const answer = await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, body);
    expect(answer).toMatchObject({ status: 200, body: { decision: 'deny', message: expect.any(String) } });
    expect(kinds(await readLedger(bench.db, run))).toEqual(['tool.requested', 'tool.decision']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('CP-292 that is too deep is recorded under its own id, once however often it comes', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const body = `{"tool_call_id":"a","tool":"Read","input":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    for (const route of ['permission', 'permission', 'sessions/x/permission'])
      expect((await post(`${bench.plane.url}/internal/${route}`, run.tokens.tool, body)).body['decision']).toBe('deny');
    expect(decisions(await readLedger(bench.db, run))).toEqual([['a', 'deny', 'schema', null]]);
    const later = { tool_call_id: 'a', tool: 'Read', input: {} };
    expect((await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, later)).body['message']).toMatch(
      /reused/,
    );
  });

  it.each(['', 'json', 'text/html'])('CP-292 is not what a media type of "%s" makes of one', async (type) => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const call = { tool_call_id: 'a', tool: 'Read' };
    const answer = await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, call, {
      'content-type': type,
    });
    expect(answer).toMatchObject({ status: 200, body: { decision: 'allow' } });
  });
});

describe('a call that holds what cannot be stored', () => {
  const TEXT = 'holds characters that cannot be stored (a NUL or half a surrogate pair)';
  const CALLS: [string, string, string, string][] = [
    ['half a surrogate pair', '"input":{"command":"rm \\ud800"}', 'c', `the input ${TEXT}`],
    ['NUL in a key, deep inside', '"input":{"a":[{"b\\u0000":1}]}', 'c', `the input ${TEXT}`],
    ['a number out of range', '"input":{"n":1e400}', 'c', 'the input holds a number that is out of range'],
    ['an id with NUL', '"input":{}', 'c\\u0000', `tool_call_id: ${TEXT}`],
  ];
  const RULES = [{ match: ['*'], action: 'allow', shell: { deny_regex: ['rm'], on_no_match: 'allow' } }];

  it.each(CALLS)('CP-292 %s is denied, recorded once and hears its verdict again', async (_what, rest, id, reason) => {
    const run = await createGatedRun(bench.db, { tools: RULES });
    const body = `{"tool_call_id":"${id}","tool":"Bash",${rest}}`;
    const ask = () => post(`${bench.plane.url}/internal/permission`, run.tokens.tool, body);
    expect(await ask()).toMatchObject({ status: 200, body: { decision: 'deny', message: reason } });
    expect(await ask()).toMatchObject({ status: 200, body: NOT_APPROVED });
    const ledger = await readLedger(bench.db, run);
    expect(kinds(ledger)).toEqual(['tool.requested', 'tool.decision']);
    expect(ledger[1]?.data).toMatchObject({ tool: 'Bash', verdict: 'deny', source: 'schema', reason });
    expect(ledger[0]?.data['tool_call_id']).toMatch(/^(c|unreadable_[0-9a-f]{32})$/);
  });

  it.each(CALLS)('CP-273 %s is denied to a brokered call, too', async (_what, rest, id, reason) => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL, brokered: ['kb'] });
    const body = `{"tool_call_id":"${id}","tool":"mcp__kb__find",${rest}}`;
    const answer = await post(`${bench.plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(answer).toMatchObject({ status: 200, body: { ok: false, denied: true, message: reason } });
    expect(kinds(await readLedger(bench.db, run))).toEqual(['tool.requested', 'tool.decision']);
  });

  it('CP-293 a tool with half a character is denied and recorded as unknown', async () => {
    const run = await createGatedRun(bench.db, { tools: ALLOW_ALL });
    const body = '{"tool_call_id":"c","tool":"mcp__kb__\\ud800","input":{}}';
    const brokered = await post(`${bench.plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(brokered).toMatchObject({ status: 200, body: { denied: true, message: `tool: ${TEXT}` } });
    expect(await post(`${bench.plane.url}/internal/permission`, run.tokens.tool, body)).toMatchObject({
      body: NOT_APPROVED,
    });
    const [requested] = await readLedger(bench.db, run);
    expect(requested?.data).toMatchObject({ tool_call_id: 'c', tool: 'unknown', summary: 'unknown' });
  });
});
