import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApprovalDecision } from '../../../src/core/approvals/approvals.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import { askPermission, decide, pendingApproval } from '../../support/gate/permission-calls.js';
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

/** The same call from every caller at once, on two API processes. */
function askTogether(run: FixtureRun, tool: string, input: unknown): Promise<unknown>[] {
  return Array.from({ length: CALLERS }, (_, i) => askPermission(planes[i % 2]!, run, 'one', tool, input));
}

async function decidePending(run: FixtureRun, decision: ApprovalDecision): Promise<void> {
  await decide(database.db, run, await pendingApproval(database.db, run), decision);
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
  it('CP-148 CP-313 lifts no denial of schema, tool set, trust tier or policy', async () => {
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
      const asked = askPermission(plane, run, id, tool, input);
      await decidePending(run, 'approved_session');
      expect(await asked).toEqual({ decision: 'allow' });
    }
    expect(await askPermission(plane, run, 'a', 'mcp__kb__find', { q: 2 })).toEqual({ decision: 'allow' });
    expect(await askPermission(plane, run, 'b', 'mcp__kb__find', {})).toMatchObject({ decision: 'deny' });
    expect(await askPermission(plane, run, 'c', 'mcp__kb__other', {})).toMatchObject({ decision: 'deny' });
    expect(await askPermission(plane, run, 'd', 'Bash', { command: 'git fetch; curl x' })).toMatchObject({
      decision: 'deny',
    });
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
        [run.organizationId, run.runId, grants.map((grant) => JSON.stringify(grant))],
      ),
    );
    for (const [id, tool, input] of [
      ['a', 'Edit', { file_path: '/workspace/a' }],
      ['b', 'mcp__kb__find', { q: 1 }],
      ['c', 'Bash', { command: 'make' }],
    ] as const) {
      expect(await askPermission(planes[0]!, run, id, tool, input)).toMatchObject({ decision: 'deny' });
    }
    const sources = (await readLedger(database.db, run)).filter((line) => line.type === 'tool.decision');
    expect(sources.map(({ data }) => data['source'])).toEqual(['trust_tier', 'trust_tier', 'trust_tier']);
  });
});
