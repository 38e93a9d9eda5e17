import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, post, readLedger, readRows } from '../../support/gate/gated-run.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const CALLERS = 200;
const ALLOW_ALL = [{ match: ['*'], action: 'allow' }];
const FIND = { find: { type: 'object', required: ['q'] } };

let database: TestDatabase;
let planes: PlaneApp[];

beforeAll(async () => {
  database = await createTestDatabase();
  const raised = { SERVICE_LIMIT_PARKED_PERMISSIONS: `${CALLERS}`, SERVICE_LIMIT_CONNECTIONS: `${CALLERS}` };
  planes = [await startPlane(database, raised), await startPlane(database, raised)];
});
afterAll(async () => {
  for (const plane of planes) await plane.close();
  await database.close();
});

async function ask(run: FixtureRun, plane: PlaneApp, id: string, tool: string, input: unknown): Promise<unknown> {
  const answer = await post(`${plane.url}/internal/permission`, run.tokens.tool, { tool_call_id: id, tool, input });
  expect(answer.status).toBe(200);
  return answer.body;
}

/** The same call from every caller at once, on two API processes. */
function askTogether(run: FixtureRun, tool: string, input: unknown): Promise<unknown>[] {
  return Array.from({ length: CALLERS }, (_, i) => ask(run, planes[i % 2]!, 'one', tool, input));
}

async function decidePending(run: FixtureRun, decision: 'approved_once' | 'approved_session'): Promise<void> {
  for (;;) {
    const sql = `select id from approvals where session_id = $1 and status = 'pending'`;
    const [row] = await readRows<{ id: string }>(database.db, run, sql);
    if (row !== undefined) {
      const change = { approvalId: row.id, decision, decidedBy: 'operator' };
      await database.db.withTenant(run.organizationId, (tx) => decideApproval(tx, change));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function kindsOf(run: FixtureRun): Promise<string[]> {
  return (await readLedger(database.db, run)).map((line) => line.type);
}

async function registeredOf(run: FixtureRun): Promise<unknown[]> {
  return readRows(
    database.db,
    run,
    `select a.status, a.source, h.tool_calls from approvals a join session_heads h using (session_id) where session_id = $1`,
  );
}

describe('two hundred identical calls at once', () => {
  it.each([
    ['of a built-in tool that is allowed', 'Read', {}, 'auto_allowed', 'policy', { decision: 'allow' }],
    ['of a frozen tool that is allowed', 'mcp__kb__find', { q: 1 }, 'auto_allowed', 'policy', { decision: 'allow' }],
    ['of a frozen tool with bad arguments', 'mcp__kb__find', {}, 'auto_denied', 'schema', { decision: 'deny' }],
    ['of a tool that is not frozen', 'mcp__ghost__x', {}, 'auto_denied', 'capability', { decision: 'deny' }],
  ])(
    'CP-130 CP-024 %s are one intent, one verdict and one pair of events',
    async (_what, tool, input, status, source, answer) => {
      const run = await createGatedRun(database.db, { tools: ALLOW_ALL, kb: FIND, budgets: { max_tool_calls: 1 } });
      for (const said of await Promise.all(askTogether(run, tool, input))) expect(said).toMatchObject(answer);
      expect(await kindsOf(run)).toEqual(['tool.requested', 'tool.decision', 'budget.warning']);
      expect(await registeredOf(run)).toEqual([{ status, source, tool_calls: 1 }]);
    },
  );

  it('CP-150 that ask a human are one question and one answer', async () => {
    const run = await createGatedRun(database.db, { kb: FIND });
    const waiting = askTogether(run, 'mcp__kb__find', { q: 1 });
    await decidePending(run, 'approved_once');
    for (const said of await Promise.all(waiting)) expect(said).toEqual({ decision: 'allow' });
    expect(await kindsOf(run)).toEqual(['tool.requested', 'approval.requested', 'approval.decided', 'tool.decision']);
    expect(await registeredOf(run)).toMatchObject([{ status: 'approved_once', tool_calls: 1 }]);
  });
});

describe('a grant for the session', () => {
  it('CP-148 CP-313 lifts no denial of schema, frozen set, trust tier or policy', async () => {
    const plane = planes[0]!;
    const tools = [
      { match: ['Bash'], action: 'approve', shell: { deny_regex: ['\\bcurl\\b'], on_no_match: 'approve' } },
    ];
    const run = await createGatedRun(database.db, { kb: FIND, tools });
    for (const [id, tool, input] of [
      ['g1', 'mcp__kb__find', { q: 1 }],
      ['g2', 'Bash', { command: 'git fetch' }],
      ['g3', 'Edit', { file_path: '/workspace/a' }],
    ] as const) {
      const asked = ask(run, plane, id, tool, input);
      await decidePending(run, 'approved_session');
      expect(await asked).toEqual({ decision: 'allow' });
    }
    expect(await ask(run, plane, 'a', 'mcp__kb__find', { q: 2 })).toEqual({ decision: 'allow' });
    expect(await ask(run, plane, 'b', 'mcp__kb__find', {})).toMatchObject({ decision: 'deny' });
    expect(await ask(run, plane, 'c', 'mcp__kb__other', {})).toMatchObject({ decision: 'deny' });
    expect(await ask(run, plane, 'd', 'Bash', { command: 'git fetch; curl x' })).toMatchObject({ decision: 'deny' });
    const decisions = (await readLedger(database.db, run)).filter((line) => line.type === 'tool.decision');
    expect(decisions.slice(-4).map(({ data }) => data['source'])).toEqual([
      'session_scope',
      'schema',
      'capability',
      'policy',
    ]);
  });

  it('CP-317 is not even asked in the read-only tier', async () => {
    const run = await createGatedRun(database.db, { trustTier: 'read_only', kb: FIND });
    const grants = [
      ['Edit', 'Edit'],
      ['mcp__kb__find', 'mcp__kb__find'],
      ['Bash', 'make'],
    ];
    // As if somebody had granted everything before the tier was lowered.
    await database.db.withTenant(run.organizationId, (tx) =>
      tx.query(
        `insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, scope_keys)
         values (gen_random_uuid(), $1, $2, 'granted', 'Edit', '', '', 'approved_session', $3::text[])`,
        [run.organizationId, run.sessionId, grants.map((grant) => JSON.stringify(grant))],
      ),
    );
    for (const [id, tool, input] of [
      ['a', 'Edit', { file_path: '/workspace/a' }],
      ['b', 'mcp__kb__find', { q: 1 }],
      ['c', 'Bash', { command: 'make' }],
    ] as const) {
      expect(await ask(run, planes[0]!, id, tool, input)).toMatchObject({ decision: 'deny' });
    }
    const sources = (await readLedger(database.db, run)).filter((line) => line.type === 'tool.decision');
    expect(sources.map(({ data }) => data['source'])).toEqual(['trust_tier', 'trust_tier', 'trust_tier']);
  });
});
