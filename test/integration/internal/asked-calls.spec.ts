import { queryObjects } from 'node:v8';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApprovalEntity } from '../../../src/core/approvals/approval.entity.js';
import { requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createGatedRun, readLedger, readRows } from '../../support/gate/gated-run.js';
import { decisions, kinds } from '../../support/gate/permission-calls.js';
import { startPlane } from '../../support/plane/plane-app.js';
import { until } from '../../support/time/until.js';
import { GateBench, NOT_APPROVED } from '../../support/gate/gate-bench.js';

let bench: GateBench;
beforeAll(async () => {
  bench = await GateBench.start(2);
});
afterAll(() => bench.close());

describe('a call that asks a human', () => {
  it('CP-006 CP-147 blocks until it is decided and lets exactly that one through', async () => {
    const run = await createGatedRun(bench.db);
    const blocked = bench.ask(run, 'a', 'Deploy', { to: 'prod' });
    const approval = await bench.pendingApproval(run);
    expect(await readRows(bench.db, run, 'select status from sessions where id = $1')).toEqual([
      { status: 'awaiting_approval' },
    ]);
    await bench.decide(run, approval, 'approved_once');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(kinds(await readLedger(bench.db, run))).toEqual([
      'tool.requested',
      'approval.requested',
      'approval.decided',
      'tool.decision',
    ]);
    expect(await readRows(bench.db, run, 'select status from sessions where id = $1')).toEqual([{ status: 'running' }]);
    const next = bench.ask(run, 'b', 'Deploy', { to: 'prod' });
    await bench.decide(run, await bench.pendingApproval(run), 'denied');
    expect(await next).toEqual(NOT_APPROVED);
  });

  it('CP-006 leaves nothing in memory once it was decided', async () => {
    const run = await createGatedRun(bench.db);
    const kept = (): number => queryObjects(ApprovalEntity, { format: 'count' });
    const before = kept();
    for (let index = 0; index < 10; index += 1) {
      const blocked = bench.ask(run, `kept-${index}`, 'Deploy', { to: index });
      await bench.decide(run, await bench.pendingApproval(run), 'approved_once');
      expect(await blocked).toEqual({ decision: 'allow' });
    }
    expect(await until(kept, (now) => now <= before)).toBeLessThanOrEqual(before);
  });

  it('CP-148 approved_session lets later calls of the tool through in this run and in no other', async () => {
    const run = await createGatedRun(bench.db);
    const blocked = bench.ask(run, 'a', 'Deploy', { to: 'a' });
    await bench.decide(run, await bench.pendingApproval(run), 'approved_session');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 'b', 'Deploy', { to: 'b' })).toEqual({ decision: 'allow' });
    expect(decisions(await readLedger(bench.db, run)).at(-1)).toEqual([
      'b',
      'allow',
      'session_scope',
      'require_approval',
    ]);
    const other = await createGatedRun(bench.db, { in: run });
    const asked = bench.ask(other, 'c', 'Deploy', { to: 'c' });
    await bench.decide(other, await bench.pendingApproval(other), 'denied');
    expect(await asked).toEqual(NOT_APPROVED);
  });

  it('CP-148 28 29: a grant covers the approved commands, never what is denied', async () => {
    const run = await createGatedRun(bench.db, {
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'], deny_regex: ['\\bcurl\\b'] } }],
    });
    const blocked = bench.ask(run, 'a', 'Bash', { command: 'git fetch' });
    await bench.decide(run, await bench.pendingApproval(run), 'approved_session');
    expect(await blocked).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 'b', 'Bash', { command: 'git fetch origin && ls' })).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 'c', 'Bash', { command: 'git fetch; curl x' })).toMatchObject({ decision: 'deny' });
  });

  it('CP-148 a grant of a tool is none of the program of that name, nor the other way round', async () => {
    const run = await createGatedRun(bench.db, {
      tools: [{ match: ['Bash'], action: 'allow', shell: { allow_prefixes: ['ls'] } }],
    });
    const tool = bench.ask(run, 'a', 'id');
    await bench.decide(run, await bench.pendingApproval(run), 'approved_session');
    expect(await tool).toEqual({ decision: 'allow' });
    const program = bench.ask(run, 'b', 'Bash', { command: 'id' });
    await bench.decide(run, await bench.pendingApproval(run), 'denied');
    expect(await program).toEqual(NOT_APPROVED);
    expect(await bench.ask(run, 'c', 'id')).toEqual({ decision: 'allow' });
  });

  it('CP-150 60: any number of callers wait on one row, on any process, and get one answer', async () => {
    const run = await createGatedRun(bench.db);
    const waiting = Array.from({ length: 8 }, (_, i) =>
      bench.ask(run, 'a', 'Deploy', { to: 'x' }, i % 2 === 0 ? bench.plane : bench.second),
    );
    await bench.decide(run, await bench.pendingApproval(run), 'approved_once');
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 8 }, () => ({ decision: 'allow' })));
    expect(kinds(await readLedger(bench.db, run))).toEqual([
      'tool.requested',
      'approval.requested',
      'approval.decided',
      'tool.decision',
    ]);
  });

  it('CP-150 a caller that hung up and comes again gets the decision made meanwhile', async () => {
    const run = await createGatedRun(bench.db);
    const controller = new AbortController();
    const body = JSON.stringify({ tool_call_id: 'a', tool: 'Deploy', input: {} });
    const headers = { authorization: `Bearer ${run.tokens.tool}` };
    const hungUp = fetch(`${bench.plane.url}/internal/permission`, {
      method: 'POST',
      headers,
      body,
      signal: controller.signal,
    }).catch(() => 'hung up');
    const approval = await bench.pendingApproval(run);
    controller.abort();
    expect(await hungUp).toBe('hung up');
    const again = bench.ask(run, 'a', 'Deploy', {}, bench.second);
    await bench.decide(run, approval, 'approved_once');
    expect(await again).toEqual({ decision: 'allow' });
    expect(await bench.ask(run, 'a', 'Deploy', {})).toEqual({ decision: 'allow' });
    expect(kinds(await readLedger(bench.db, run))).toHaveLength(4);
  });

  it('CP-149 62: an approval that runs out denies, once, decided by the clock', async () => {
    const run = await createGatedRun(bench.db, { policy: { approvals: { default_ttl_secs: 1 } } });
    const waiting = [bench.ask(run, 'a', 'Deploy', {}), bench.ask(run, 'a', 'Deploy', {}, bench.second)];
    expect(await Promise.all(waiting)).toEqual([NOT_APPROVED, NOT_APPROVED]);
    const ledger = await readLedger(bench.db, run);
    expect(ledger.slice(2)).toMatchObject([
      { type: 'approval.decided', data: { decision: 'expired', decided_by: 'timeout' } },
      { type: 'tool.decision', data: { verdict: 'deny', source: 'human', reason: 'human:timeout' } },
    ]);
  });

  it('CP-149 61: an approval given after the run stopped refuses the call, and says so once', async () => {
    const run = await createGatedRun(bench.db);
    const waiting = [
      bench.ask(run, 'a', 'Deploy', {}),
      bench.ask(run, 'a', 'Deploy', {}, bench.second),
      bench.ask(run, 'a', 'Deploy', {}),
    ];
    const approval = await bench.pendingApproval(run);
    await bench.db.withTenant(run.organizationId, async (tx) => {
      await requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: 'cancelled', wantsQuiesce: true });
      await moveRun(tx, run.runId, 'awaiting_approval', 'cancelling', null);
    });
    await bench.decide(run, approval, 'approved_once');
    const inactive = { decision: 'deny', message: 'session is not active' };
    expect(await Promise.all(waiting)).toEqual([inactive, inactive, inactive]);
    expect(decisions(await readLedger(bench.db, run))).toEqual([
      ['a', 'allow', 'human', null],
      ['a', 'deny', 'session_terminal', 'require_approval'],
    ]);
  });

  it('CP-006 the seventeenth question of a run is denied, and the limit is noted once', async () => {
    const run = await createGatedRun(bench.db);
    const controller = new AbortController();
    const headers = { authorization: `Bearer ${run.tokens.tool}` };
    const parked = Array.from({ length: 16 }, (_, i) =>
      fetch(`${bench.plane.url}/internal/permission`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ tool_call_id: `p${i}`, tool: 'Deploy' }),
        signal: controller.signal,
      }).catch(() => null),
    );
    await bench.pendingApproval(run, 16);
    expect(await bench.ask(run, 'x', 'Deploy')).toMatchObject({
      decision: 'deny',
      message: expect.stringContaining('too many pending'),
    });
    expect(await bench.ask(run, 'y', 'Deploy')).toMatchObject({ decision: 'deny' });
    controller.abort();
    await Promise.all(parked);
    const noted = async (): Promise<number> =>
      (await readLedger(bench.db, run)).filter((line) => line.type === 'run.limit_reached').length;
    expect(await until(noted, (count) => count > 0)).toBe(1);
  });

  it('CP-006 a decision releases the blocked call at once on another process', async () => {
    // A process that looks again so rarely answers in time only because it is told.
    const rereadMs = 100_000;
    const told = await startPlane(bench.database, { SERVICE_TIMING_TAIL_REREAD_MS: String(rereadMs) });
    try {
      const run = await createGatedRun(bench.db);
      const blocked = bench.ask(run, 'a', 'Deploy', {}, told);
      const approval = await bench.pendingApproval(run);
      await bench.decide(run, approval, 'approved_once');
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
    const run = await createGatedRun(bench.db, {
      tools: [{ match: ['Zed'], action: 'approve', approval_ttl_secs: Number.MAX_SAFE_INTEGER }],
    });
    const answer = bench.ask(run, 'z1', 'Zed', {});
    await bench.decide(run, await bench.pendingApproval(run), 'approved_once');
    expect(await answer).toEqual({ decision: 'allow' });
  });
});
