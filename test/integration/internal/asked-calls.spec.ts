import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApprovalDecision } from '../../../src/core/approvals/approvals.js';
import { recordIntent } from '../../../src/core/finalization/intents.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createTestDatabase } from '../../support/database/database.js';
import type { TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import {
  askPermission,
  decide as decideAt,
  decisions,
  kinds,
  pendingApproval as pendingOf,
} from '../../support/gate/permission-calls.js';
import { startPlane } from '../../support/plane/plane-app.js';
import type { PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { until } from '../../support/time/until.js';

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

const ask = (run: FixtureRun, id: string, tool: string, input?: unknown, at = plane): Promise<unknown> =>
  askPermission(at, run, id, tool, input);
const pendingApproval = (run: FixtureRun, count?: number): Promise<string> => pendingOf(database.db, run, count);
const decide = (run: FixtureRun, id: string, decision: ApprovalDecision): Promise<unknown> =>
  decideAt(database.db, run, id, decision);

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
