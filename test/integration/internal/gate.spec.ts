import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import type { ApprovalDecision } from '../../../src/core/approvals/approvals.js';
import { recordIntent } from '../../../src/core/finalization/intents.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import type { LedgerLine } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];
const DENY_ALL = [{ match: ['*'], action: 'deny' }];
const NOT_APPROVED = { decision: 'deny', message: 'not approved' };

let database: TestDatabase;
let plane: PlaneApp;
let second: PlaneApp;

beforeAll(async () => {
  database = await createTestDatabase();
  plane = await startPlane(database);
  second = await startPlane(database);
});
afterAll(async () => {
  await plane.close();
  await second.close();
  await database.close();
});

async function ask(run: FixtureRun, id: string, tool: string, input?: unknown, at: PlaneApp = plane): Promise<unknown> {
  const answer = await post(`${at.url}/internal/permission`, run.tokens.tool, {
    tool_call_id: id,
    tool,
    ...(input === undefined ? {} : { input }),
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function pendingApproval(run: FixtureRun, count = 1): Promise<string> {
  const pending = (): Promise<{ id: string }[]> =>
    readRows(
      database.db,
      run,
      `select id from approvals where session_id = $1 and status = 'pending' order by requested_at`,
    );
  const last = (await until(pending, (rows) => rows.length >= count))[count - 1];
  if (last === undefined) throw new Error('no approval became pending');
  return last.id;
}

function decide(run: FixtureRun, approvalId: string, decision: ApprovalDecision): Promise<unknown> {
  return database.db.withTenant(run.organizationId, (tx) =>
    decideApproval(tx, { approvalId, decision, decidedBy: 'operator' }),
  );
}

function kinds(ledger: LedgerLine[]): string[] {
  return ledger.map((line) => line.type);
}

function decisions(ledger: LedgerLine[]): unknown[] {
  return ledger
    .filter((line) => line.type === 'tool.decision')
    .map(({ data }) => [data['tool_call_id'], data['verdict'], data['source'], data['original_verdict']]);
}

describe('an automatic verdict', () => {
  it('CP-292 CP-293 is on the record before it is answered', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    expect(await ask(run, 'a', 'Bash', { command: 'ls' })).toEqual({ decision: 'allow' });
    const ledger = await readLedger(database.db, run);
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
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const call = (body: object) => post(`${plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(await call({ tool_call_id: 'bkr_1', tool: 'mcp__kb__find', input: {} })).toMatchObject({
      status: 200,
      body: { ok: false, denied: true, message: expect.stringContaining('frozen capability set') },
    });
    expect(await call({ tool_call_id: 'x', tool: 'Bash', input: {} })).toMatchObject({ status: 400 });
    expect(await call({ tool: 'mcp__kb__find' })).toMatchObject({ status: 400 });
    expect(decisions(await readLedger(database.db, run))).toEqual([['bkr_1', 'deny', 'capability', null]]);
  });

  it('CP-130 57 58: a repeated call gets its verdict again and is neither counted nor written', async () => {
    const run = await createGatedRun(database.db, { tools: [{ match: ['Read'], action: 'allow' }, ...DENY_ALL] });
    expect(await ask(run, 't1', 'Read', { a: 1, b: 2 })).toEqual({ decision: 'allow' });
    expect(await ask(run, 't1', 'Read', { b: 2, a: 1 })).toEqual({ decision: 'allow' });
    expect(await ask(run, 't1', 'Read', { a: 1 })).toEqual({
      decision: 'deny',
      message: 'tool_call_id reused with different tool or input',
    });
    expect(await ask(run, 't1', 'Read', { a: 1, b: 2 })).toEqual({ decision: 'allow' });
    expect(await ask(run, 't2', 'Write', {})).toMatchObject({ message: 'denied by policy' });
    expect(await ask(run, 't2', 'Write', {})).toEqual(NOT_APPROVED);
    expect(decisions(await readLedger(database.db, run))).toEqual([
      ['t1', 'allow', 'policy', null],
      ['t1', 'deny', 'protocol_violation', null],
      ['t2', 'deny', 'policy', null],
    ]);
    expect(await readRows(database.db, run, 'select tool_calls from session_heads where session_id = $1')).toEqual([
      { tool_calls: 2 },
    ]);
  });

  it('CP-130 large integers do not collapse into one digest', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const raw = (n: string) =>
      post(
        `${plane.url}/internal/permission`,
        run.tokens.tool,
        `{"tool_call_id":"n","tool":"Read","input":{"n":${n}}}`,
      );
    expect((await raw('9007199254740993')).body).toEqual({ decision: 'allow' });
    expect((await raw('9007199254740992')).body).toMatchObject({ decision: 'deny' });
    expect((await raw('9007199254740993')).body).toEqual({ decision: 'allow' });
  });

  it('CP-076 59: the call above the cap is denied, told, and ends the run', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL, budgets: { max_tool_calls: 2 } });
    await ask(run, 'a', 'Read');
    await ask(run, 'b', 'Read');
    expect(await ask(run, 'c', 'Read')).toEqual({ decision: 'deny', message: 'tool-call budget exceeded' });
    const ledger = await readLedger(database.db, run);
    expect(ledger.filter((line) => line.type === 'budget.exceeded')).toMatchObject([
      { data: { budget: 'max_tool_calls', limit: '2', spent: '3' } },
    ]);
    expect(decisions(ledger).at(-1)).toEqual(['c', 'deny', 'budget', null]);
    expect(
      await readRows(
        database.db,
        run,
        'select outcome, needs_quiesce from session_finalizations where session_id = $1',
      ),
    ).toEqual([{ outcome: 'budget_exceeded', needs_quiesce: true }]);
    await database.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.sessionId, 'running', 'cancelling', null));
    expect(await ask(run, 'd', 'Read')).toEqual({ decision: 'deny', message: 'session is not active' });
  });

  it('CP-076 64 callers never overspend a budget of ten calls', async () => {
    for (let trial = 0; trial < 5; trial += 1) {
      const run = await createGatedRun(database.db, { tools: ALLOW_ALL, budgets: { max_tool_calls: 10 } });
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => ask(run, `c${i}`, 'Read', undefined, i % 2 === 0 ? plane : second)),
      );
      expect(answers.filter((answer) => (answer as { decision: string }).decision === 'allow')).toHaveLength(10);
      const ledger = await readLedger(database.db, run);
      expect(ledger.filter((line) => line.type === 'budget.exceeded')).toHaveLength(1);
      expect(ledger.map((line) => line.seq)).toEqual(ledger.map((_, i) => i + 1));
    }
  });

  it('CP-077 an autonomous run is answered at once where a human would be asked', async () => {
    const run = await createGatedRun(database.db, {
      tools: [{ match: ['Task'], action: 'approve', on_autonomous: 'allow' }],
      autonomy: 'autonomous',
    });
    expect(await ask(run, 'a', 'Bash', { command: 'make' })).toMatchObject({ decision: 'deny' });
    expect(await ask(run, 'b', 'Task')).toEqual({ decision: 'allow' });
    expect(decisions(await readLedger(database.db, run))).toEqual([
      ['a', 'deny', 'autonomy_rewrite', 'require_approval'],
      ['b', 'allow', 'autonomy_rewrite', 'require_approval'],
    ]);
  });

  it.each(['queued', 'cancelling', 'finalizing', 'completed'] as const)(
    'CP-026 a run that is %s accepts no call',
    async (status) => {
      const run = await createGatedRun(database.db, { tools: ALLOW_ALL, status });
      expect(await ask(run, 'a', 'Read')).toEqual({ decision: 'deny', message: 'session is not active' });
      const brokered = await post(`${plane.url}/internal/tools/call`, run.tokens.tool, {
        tool_call_id: 'a',
        tool: 'mcp__a__b',
      });
      expect(brokered).toMatchObject({ status: 400, body: { error: 'session is not active' } });
      expect(await readLedger(database.db, run)).toEqual([]);
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
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const answer = await post(`${plane.url}/internal/permission`, run.tokens.tool, body);
    expect(answer).toMatchObject({ status: 200, body: { decision: 'deny', message: expect.any(String) } });
    expect(kinds(await readLedger(database.db, run))).toEqual(['tool.requested', 'tool.decision']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('CP-292 that is too deep is recorded under its own id, once however often it comes', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const body = `{"tool_call_id":"a","tool":"Read","input":${'['.repeat(10_000)}${']'.repeat(10_000)}}`;
    for (const route of ['permission', 'permission', 'sessions/x/permission'])
      expect((await post(`${plane.url}/internal/${route}`, run.tokens.tool, body)).body['decision']).toBe('deny');
    expect(decisions(await readLedger(database.db, run))).toEqual([['a', 'deny', 'schema', null]]);
    const later = { tool_call_id: 'a', tool: 'Read', input: {} };
    expect((await post(`${plane.url}/internal/permission`, run.tokens.tool, later)).body['message']).toMatch(/reused/);
  });

  it.each(['', 'json', 'text/html'])('CP-292 is not what a media type of "%s" makes of one', async (type) => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const call = { tool_call_id: 'a', tool: 'Read' };
    const answer = await post(`${plane.url}/internal/permission`, run.tokens.tool, call, { 'content-type': type });
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
    const run = await createGatedRun(database.db, { tools: RULES });
    const body = `{"tool_call_id":"${id}","tool":"Bash",${rest}}`;
    const ask = () => post(`${plane.url}/internal/permission`, run.tokens.tool, body);
    expect(await ask()).toMatchObject({ status: 200, body: { decision: 'deny', message: reason } });
    expect(await ask()).toMatchObject({ status: 200, body: NOT_APPROVED });
    const ledger = await readLedger(database.db, run);
    expect(kinds(ledger)).toEqual(['tool.requested', 'tool.decision']);
    expect(ledger[1]?.data).toMatchObject({ tool: 'Bash', verdict: 'deny', source: 'schema', reason });
    expect(ledger[0]?.data['tool_call_id']).toMatch(/^(c|unreadable_[0-9a-f]{32})$/);
  });

  it.each(CALLS)('CP-273 %s is denied to a brokered call, too', async (_what, rest, id, reason) => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL, brokered: ['kb'] });
    const body = `{"tool_call_id":"${id}","tool":"mcp__kb__find",${rest}}`;
    const answer = await post(`${plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(answer).toMatchObject({ status: 200, body: { ok: false, denied: true, message: reason } });
    expect(kinds(await readLedger(database.db, run))).toEqual(['tool.requested', 'tool.decision']);
  });

  it('CP-293 a tool with half a character is denied and recorded as unknown', async () => {
    const run = await createGatedRun(database.db, { tools: ALLOW_ALL });
    const body = '{"tool_call_id":"c","tool":"mcp__kb__\\ud800","input":{}}';
    const brokered = await post(`${plane.url}/internal/tools/call`, run.tokens.tool, body);
    expect(brokered).toMatchObject({ status: 200, body: { denied: true, message: `tool: ${TEXT}` } });
    expect(await post(`${plane.url}/internal/permission`, run.tokens.tool, body)).toMatchObject({ body: NOT_APPROVED });
    const [requested] = await readLedger(database.db, run);
    expect(requested?.data).toMatchObject({ tool_call_id: 'c', tool: 'unknown', summary: 'unknown' });
  });
});

describe('a call that asks a human', () => {
  it('CP-006 CP-147 blocks until it is decided and lets exactly that one through', async () => {
    const run = await createGatedRun(database.db);
    const blocked = ask(run, 'a', 'Deploy', { to: 'prod' });
    const approval = await pendingApproval(run);
    expect(await readRows(database.db, run, 'select status from sessions where id = $1')).toEqual([
      { status: 'awaiting_approval' },
    ]);
    await decide(run, approval, 'approved_once');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(kinds(await readLedger(database.db, run))).toEqual([
      'tool.requested',
      'approval.requested',
      'approval.decided',
      'tool.decision',
    ]);
    expect(await readRows(database.db, run, 'select status from sessions where id = $1')).toEqual([
      { status: 'running' },
    ]);
    const next = ask(run, 'b', 'Deploy', { to: 'prod' });
    await decide(run, await pendingApproval(run), 'denied');
    expect(await next).toEqual(NOT_APPROVED);
  });

  it('CP-148 approved_session lets later calls of the tool through in this run and in no other', async () => {
    const run = await createGatedRun(database.db);
    const blocked = ask(run, 'a', 'Deploy', { to: 'a' });
    await decide(run, await pendingApproval(run), 'approved_session');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(await ask(run, 'b', 'Deploy', { to: 'b' })).toEqual({ decision: 'allow' });
    expect(decisions(await readLedger(database.db, run)).at(-1)).toEqual([
      'b',
      'allow',
      'session_scope',
      'require_approval',
    ]);
    const other = await createGatedRun(database.db, { in: run });
    const asked = ask(other, 'c', 'Deploy', { to: 'c' });
    await decide(other, await pendingApproval(other), 'denied');
    expect(await asked).toEqual(NOT_APPROVED);
  });

  it('CP-148 28 29: a grant covers the approved commands, never what is denied', async () => {
    const run = await createGatedRun(database.db, {
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'], deny_regex: ['\\bcurl\\b'] } }],
    });
    const blocked = ask(run, 'a', 'Bash', { command: 'git fetch' });
    await decide(run, await pendingApproval(run), 'approved_session');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(await ask(run, 'b', 'Bash', { command: 'git fetch origin && ls' })).toEqual({ decision: 'allow' });
    expect(await ask(run, 'c', 'Bash', { command: 'git fetch; curl x' })).toMatchObject({ decision: 'deny' });
  });

  it('CP-148 a grant of a tool is none of the program of that name, nor the other way round', async () => {
    const run = await createGatedRun(database.db, {
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'] } }],
    });
    const tool = ask(run, 'a', 'id');
    await decide(run, await pendingApproval(run), 'approved_session');
    expect(await tool).toEqual({ decision: 'allow' });
    const program = ask(run, 'b', 'Bash', { command: 'id' });
    await decide(run, await pendingApproval(run), 'denied');
    expect(await program).toEqual(NOT_APPROVED);
    expect(await ask(run, 'c', 'id')).toEqual({ decision: 'allow' });
  });

  it('CP-150 60: any number of callers wait on one row, on any process, and get one answer', async () => {
    const run = await createGatedRun(database.db);
    const waiting = Array.from({ length: 8 }, (_, i) =>
      ask(run, 'a', 'Deploy', { to: 'x' }, i % 2 === 0 ? plane : second),
    );
    await decide(run, await pendingApproval(run), 'approved_once');
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 8 }, () => ({ decision: 'allow' })));
    expect(kinds(await readLedger(database.db, run))).toEqual([
      'tool.requested',
      'approval.requested',
      'approval.decided',
      'tool.decision',
    ]);
  });

  it('CP-150 a caller that hung up and comes again gets the decision made meanwhile', async () => {
    const run = await createGatedRun(database.db);
    const controller = new AbortController();
    const body = JSON.stringify({ tool_call_id: 'a', tool: 'Deploy', input: {} });
    const headers = { authorization: `Bearer ${run.tokens.tool}` };
    const hungUp = fetch(`${plane.url}/internal/permission`, {
      method: 'POST',
      headers,
      body,
      signal: controller.signal,
    }).catch(() => 'hung up');
    const approval = await pendingApproval(run);
    controller.abort();
    expect(await hungUp).toBe('hung up');
    const again = ask(run, 'a', 'Deploy', {}, second);
    await decide(run, approval, 'approved_once');
    expect(await again).toEqual({ decision: 'allow' });
    expect(await ask(run, 'a', 'Deploy', {})).toEqual({ decision: 'allow' });
    expect(kinds(await readLedger(database.db, run))).toHaveLength(4);
  });

  it('CP-149 62: an approval that runs out denies, once, decided by the clock', async () => {
    const run = await createGatedRun(database.db, { policy: { approvals: { default_ttl_secs: 1 } } });
    const waiting = [ask(run, 'a', 'Deploy', {}), ask(run, 'a', 'Deploy', {}, second)];
    expect(await Promise.all(waiting)).toEqual([NOT_APPROVED, NOT_APPROVED]);
    const ledger = await readLedger(database.db, run);
    expect(ledger.slice(2)).toMatchObject([
      { type: 'approval.decided', data: { decision: 'expired', decided_by: 'timeout' } },
      { type: 'tool.decision', data: { verdict: 'deny', source: 'human', reason: 'human:timeout' } },
    ]);
  });

  it('CP-149 61: an approval given after the run stopped refuses the call, and says so once', async () => {
    const run = await createGatedRun(database.db);
    const waiting = [ask(run, 'a', 'Deploy', {}), ask(run, 'a', 'Deploy', {}, second), ask(run, 'a', 'Deploy', {})];
    const approval = await pendingApproval(run);
    await database.db.withTenant(run.organizationId, async (tx) => {
      await recordIntent(tx, run.sessionId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true });
      await moveRun(tx, run.sessionId, 'awaiting_approval', 'cancelling', null);
    });
    await decide(run, approval, 'approved_once');
    const inactive = { decision: 'deny', message: 'session is not active' };
    expect(await Promise.all(waiting)).toEqual([inactive, inactive, inactive]);
    expect(decisions(await readLedger(database.db, run))).toEqual([
      ['a', 'allow', 'human', null],
      ['a', 'deny', 'session_terminal', 'require_approval'],
    ]);
  });

  it('CP-006 a file that was shown and changes before the release withholds the approved call, and its repetition', async () => {
    const run = await createGatedRun(database.db);
    const workspace = join(plane.dataDir, 'runs', run.sessionId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'deploy.sh'), 'echo fine');
    await symlink('/etc/hostname', join(workspace, 'link'));
    const unchanged = ask(run, 'a', 'Bash', { command: './deploy.sh link' });
    const first = await pendingApproval(run);
    const [row] = await readRows<{ explanation: { files: { path: string; size: number; digest: string }[] } }>(
      database.db,
      run,
      'select explanation from approvals where session_id = $1',
    );
    expect(row?.explanation.files).toEqual([
      { path: 'deploy.sh', size: 9, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    ]);
    await decide(run, first, 'approved_once');
    expect(await unchanged).toEqual({ decision: 'allow' });
    const changed = ask(run, 'b', 'Bash', { command: './deploy.sh' });
    const second = await pendingApproval(run);
    await writeFile(join(workspace, 'deploy.sh'), 'echo evil');
    await decide(run, second, 'approved_once');
    expect(await changed).toMatchObject({ decision: 'deny', message: expect.stringContaining('deploy.sh') });
    expect(await ask(run, 'b', 'Bash', { command: './deploy.sh' })).toEqual(NOT_APPROVED);
  });

  it('CP-006 a call that was approved while nobody held it is compared when it comes back, and not once it was let go', async () => {
    const run = await createGatedRun(database.db);
    const workspace = join(plane.dataDir, 'runs', run.sessionId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'deploy.sh'), 'echo fine');
    const again = (id: string) => ask(run, id, 'Bash', { command: './deploy.sh' });
    for (const id of ['a', 'b']) {
      const gone = new AbortController();
      const held = fetch(`${plane.url}/internal/permission`, {
        method: 'POST',
        headers: { authorization: `Bearer ${run.tokens.tool}` },
        body: JSON.stringify({ tool_call_id: id, tool: 'Bash', input: { command: './deploy.sh' } }),
        signal: gone.signal,
      });
      const approval = await pendingApproval(run);
      gone.abort();
      await expect(held).rejects.toThrow();
      await decide(run, approval, 'approved_once');
    }
    expect(await again('a')).toEqual({ decision: 'allow' });
    await writeFile(join(workspace, 'deploy.sh'), 'echo evil');
    expect(await again('b')).toMatchObject({
      decision: 'deny',
      message: 'a file that the command names has changed since it was shown to the approver: deploy.sh',
    });
    expect(await again('a')).toEqual({ decision: 'allow' });
  });

  it('a command that names more files than a person can be shown is denied, not asked', async () => {
    const run = await createGatedRun(database.db);
    const workspace = join(plane.dataDir, 'runs', run.sessionId, 'disk', 'workspace');
    await mkdir(workspace, { recursive: true });
    const names = Array.from({ length: 129 }, (_, index) => `f${index}`);
    await Promise.all(names.map((name) => writeFile(join(workspace, name), '')));
    expect(await ask(run, 'a', 'Bash', { command: `./run ${names.join(' ')}` })).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('more files of the workspace than can be shown'),
    });
    expect(kinds(await readLedger(database.db, run))).toEqual(['tool.requested', 'tool.decision']);
  });

  it('CP-006 the input rests sealed while it is asked about, and goes when it is settled', async () => {
    const run = await createGatedRun(database.db);
    const canary = 'canary-6f1c';
    const blocked = ask(run, 'a', 'Deploy', { secret: canary });
    const approval = await pendingApproval(run);
    const [row] = await readRows<{ sealed: Buffer; key_version: number }>(
      database.db,
      run,
      `select sealed, key_version from tool_call_payloads where session_id = $1 and kind = 'input'`,
    );
    expect(row?.key_version).toBe(2);
    expect(row?.sealed.includes(canary)).toBe(false);
    expect(JSON.stringify(await readLedger(database.db, run))).not.toContain(canary);
    await decide(run, approval, 'denied');
    await blocked;
    const left = await readRows(database.db, run, 'select kind from tool_call_payloads where session_id = $1');
    expect(left.filter((row) => (row as { kind: string }).kind !== 'policy_view')).toEqual([]);
  });

  it('CP-006 an input that cannot be shown whole is denied, not asked', async () => {
    const run = await createGatedRun(database.db);
    expect(await ask(run, 'a', 'Deploy', { content: 'x'.repeat(70_000) })).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('65536'),
    });
    expect(decisions(await readLedger(database.db, run))).toEqual([['a', 'deny', 'policy', null]]);
  });

  it('CP-006 the seventeenth question of a run is denied, and the limit is noted once', async () => {
    const run = await createGatedRun(database.db);
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${run.tokens.tool}` };
    const parked = Array.from({ length: 16 }, (_, i) =>
      fetch(`${plane.url}/internal/permission`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ tool_call_id: `p${i}`, tool: 'Deploy' }),
        signal: controller.signal,
      }).catch(() => null),
    );
    await pendingApproval(run, 16);
    expect(await ask(run, 'x', 'Deploy')).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('too many pending'),
    });
    expect(await ask(run, 'y', 'Deploy')).toMatchObject({ decision: 'deny' });
    controller.abort();
    await Promise.all(parked);
    const noted = async (): Promise<number> =>
      (await readLedger(database.db, run)).filter((line) => line.type === 'run.limit_reached').length;
    expect(await until(noted, (count) => count > 0)).toBe(1);
  });

  it('CP-006 a decision releases the blocked call at once on another process', async () => {
    // A process that looks again so rarely answers in time only because it is told.
    const rereadMs = 100_000;
    const told = await startPlane(database, { SERVICE_TIMING_TAIL_REREAD_MS: String(rereadMs) });
    try {
      const run = await createGatedRun(database.db);
      const blocked = ask(run, 'a', 'Deploy', {}, told);
      const approval = await pendingApproval(run);
      await decide(run, approval, 'approved_once');
      const decidedAt = performance.now();
      await blocked;
      expect(performance.now() - decidedAt).toBeLessThan(rereadMs / 2);
    } finally {
      await told.close();
    }
  });
});

describe('a time to answer beyond what a database interval holds', () => {
  it('asks all the same', async () => {
    const run = await createGatedRun(database.db, {
      tools: [{ match: ['Zed'], action: 'approve', approval_ttl_secs: Number.MAX_SAFE_INTEGER }],
    });
    const answer = ask(run, 'z1', 'Zed', {});
    await decide(run, await pendingApproval(run), 'approved_once');
    expect(await answer).toEqual({ decision: 'allow' });
  });
});
