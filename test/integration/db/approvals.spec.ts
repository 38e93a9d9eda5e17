import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { releaseApproved, withholdApproved } from '../../../src/core/approvals/approval-release.js';
import {
  decideApproval,
  expireApprovals,
  recordSessionTerminal,
  type ApprovalDecision,
} from '../../../src/core/approvals/approvals.js';
import { decideAutomatic, requestApproval, type GateCall, type Question } from '../../../src/core/gate/gate.js';
import type { OutboxRow } from '../../../src/core/record/outbox.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, readLedger, readStatus, type FixtureRun } from '../../support/runs/run-fixture.js';

function question(keys: string[] | null, change: Partial<Question> = {}): Question {
  return {
    source: 'policy',
    risk: null,
    reason: null,
    scope: 'once',
    scopeKey: keys?.join(', ') ?? null,
    scopeKeys: keys,
    explanation: null,
    ttlSecs: 600,
    maxPending: 16,
    payload: null,
    ...change,
  };
}

describe('approvals', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function ask(
    run: FixtureRun,
    keys: string[] | null,
    change: Partial<Question> = {},
  ): Promise<{ call: GateCall; id: string }> {
    const call = gateCall(run);
    const answer = await requestApproval(test.db, call, question(keys, change));
    expect(answer.outcome).toBe('asked');
    return { call, id: answer.approvalId ?? '' };
  }

  const decide = (run: FixtureRun, approvalId: string, decision: ApprovalDecision, decidedBy = 'operator') =>
    test.db.withTenant(run.organizationId, (tx) => decideApproval(tx, { approvalId, decision, decidedBy }));

  it('CP-144 CP-146 settles once under 40 racing decisions, with one pair of events', async () => {
    for (let round = 0; round < 5; round += 1) {
      const run = await createRun(test.db);
      const { id } = await ask(run, ['git push']);
      const words: ApprovalDecision[] = ['approved_once', 'approved_session', 'denied'];
      const results = await Promise.all(
        Array.from({ length: 40 }, (_, n) => decide(run, id, words[n % 3] as ApprovalDecision, `user-${n}`)),
      );
      expect(results.filter((result) => result.won)).toHaveLength(1);
      const settled = results[0]?.approval;
      for (const result of results) {
        expect([result.approval.status, result.approval.decided_by]).toEqual([settled?.status, settled?.decided_by]);
      }
      const events = (await readLedger(test.db, run)).slice(2);
      expect(events.map((event) => event.type)).toEqual(['approval.decided', 'tool.decision']);
      expect(events[0]?.data).toMatchObject({
        approval_id: id,
        decision: settled?.status,
        decided_by: settled?.decided_by,
      });
      expect(events[1]?.data).toMatchObject({ source: 'human', reason: `human:${settled?.decided_by}` });
      expect(await readStatus(test.db, run)).toBe('running');
    }
  });

  it('CP-330 answers a late decision with the settled row', async () => {
    const run = await createRun(test.db);
    const { id } = await ask(run, null);
    await decide(run, id, 'denied');
    expect(await decide(run, id, 'approved_once')).toMatchObject({ won: false, approval: { status: 'denied' } });
    expect(await readLedger(test.db, run)).toHaveLength(4);
  });

  it('CP-145 decides nothing when an append fails', async () => {
    const run = await createRun(test.db);
    const { id } = await ask(run, null);
    await test.owner.query(`
      create function refuse_decision() returns trigger language plpgsql as $$
      begin if new.type = 'tool.decision' then raise exception 'disk full'; end if; return new; end $$;
      create trigger refuse_decision before insert on events for each row execute function refuse_decision()`);
    try {
      await expect(decide(run, id, 'approved_once')).rejects.toThrow(/disk full/);
    } finally {
      await test.owner.query('drop function refuse_decision cascade');
    }
    expect((await readLedger(test.db, run)).map((event) => event.type)).toEqual([
      'tool.requested',
      'approval.requested',
    ]);
    expect(await readStatus(test.db, run)).toBe('awaiting_approval');
    expect(await decide(run, id, 'approved_once')).toMatchObject({ won: true });
  });

  it('CP-147 lets one call through for approved_once and asks for the next', async () => {
    const run = await createRun(test.db);
    const { call, id } = await ask(run, ['git push']);
    await decide(run, id, 'approved_once');
    expect(await requestApproval(test.db, call, question(['git push']))).toMatchObject({ outcome: 'replay_allow' });
    await ask(run, ['git push']);
  });

  it('CP-148 grants for the run only calls all of whose keys are granted, and no other run', async () => {
    const run = await createRun(test.db);
    const first = await ask(run, ['git fetch', 'make']);
    expect(await decide(run, first.id, 'approved_session')).toMatchObject({ won: true, narrowed: false });
    const covered = await requestApproval(test.db, gateCall(run), question(['make']));
    expect(covered).toMatchObject({ outcome: 'session_allow', reason: 'session-approved' });
    const decision = (await readLedger(test.db, run)).at(-1);
    expect(decision).toMatchObject({ type: 'tool.decision', data: { verdict: 'allow', source: 'session_scope' } });
    const { id } = await ask(run, ['make', 'curl']);
    await decide(run, id, 'approved_session');
    expect((await requestApproval(test.db, gateCall(run), question(['curl', 'git fetch']))).outcome).toBe(
      'session_allow',
    );
    await ask(run, null);
    await ask(run, []);
    await ask(await createRun(test.db, { in: run }), ['make']);
  });

  it('records approved_session as approved_once for a call without keys, and says so', async () => {
    const run = await createRun(test.db);
    const { id } = await ask(run, null);
    expect(await decide(run, id, 'approved_session')).toMatchObject({
      won: true,
      narrowed: true,
      approval: { status: 'approved_once' },
    });
  });

  it('CP-149 a denied call stays denied when it is presented again', async () => {
    const run = await createRun(test.db);
    const { call, id } = await ask(run, null);
    await decide(run, id, 'denied');
    expect((await requestApproval(test.db, call, question(null))).outcome).toBe('replay_deny');
  });

  it('expires by the clock of the database: a decision after the deadline comes too late', async () => {
    const run = await createRun(test.db);
    const { id } = await ask(run, null, { ttlSecs: 0 });
    expect(await decide(run, id, 'approved_once')).toMatchObject({
      won: false,
      approval: { status: 'expired', decided_by: 'timeout' },
    });
    const events = (await readLedger(test.db, run)).slice(2);
    expect(events.map((event) => event.data['decision'] ?? event.data['verdict'])).toEqual(['expired', 'deny']);
  });

  it('expires what is due, tells the next deadline, and keeps the run waiting for the rest', async () => {
    const run = await createRun(test.db);
    await ask(run, null, { ttlSecs: 0 });
    const later = await ask(run, null, { ttlSecs: 500 });
    const result = await test.db.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId));
    expect(result.expired).toBe(1);
    expect(result.nextDeadline?.getTime()).toBeGreaterThan(Date.now() + 400_000);
    expect(await readStatus(test.db, run)).toBe('awaiting_approval');
    const all = await test.db.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId, { all: true }));
    expect(all).toEqual({ expired: 1, nextDeadline: null });
    expect(await decide(run, later.id, 'approved_once')).toMatchObject({ won: false, approval: { status: 'expired' } });
  });

  it('races of approve, deny and expire end in one decision each', async () => {
    const run = await createRun(test.db);
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask(run, null, { ttlSecs: 0.05 })));
    await Promise.all([
      ...asked.map(({ id }) => decide(run, id, 'approved_once')),
      ...asked.map(({ id }) => decide(run, id, 'denied')),
      ...asked.map(() => test.db.withTenant(run.organizationId, (tx) => expireApprovals(tx, run.runId))),
    ]);
    const decided = (await readLedger(test.db, run)).filter((event) => event.type === 'approval.decided');
    expect(new Set(decided.map((event) => event.data['approval_id'])).size).toBe(12);
    expect(decided).toHaveLength(12);
  });

  it('tells once that an approved call met a stopped run', async () => {
    const run = await createRun(test.db);
    const { id } = await ask(run, null);
    await decide(run, id, 'approved_once');
    await test.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'running', 'finalizing', 'stop'));
    const told = await Promise.all(
      Array.from({ length: 6 }, () => test.db.withTenant(run.organizationId, (tx) => recordSessionTerminal(tx, id))),
    );
    expect(told.filter(Boolean)).toHaveLength(1);
    const terminal = (await readLedger(test.db, run)).filter((event) => event.data['source'] === 'session_terminal');
    expect(terminal).toMatchObject([{ data: { verdict: 'deny', original_verdict: 'require_approval' } }]);
  });

  it('a withheld call is denied for good, its decision stands', async () => {
    const run = await createRun(test.db);
    const { call, id } = await ask(run, null);
    await decide(run, id, 'approved_once');
    const withhold = () =>
      test.db.withTenant(run.organizationId, (tx) =>
        withholdApproved(tx, { approvalId: id, source: 'policy', reason: 'deploy.sh changed' }),
      );
    expect([await withhold(), await withhold()]).toEqual([true, false]);
    const allow = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null } as const;
    expect(await decideAutomatic(test.db, call, allow)).toMatchObject({
      outcome: 'replay_deny',
      reason: 'deploy.sh changed',
    });
  });

  it('a call that was let go is not withheld any more, one that was withheld is not let go', async () => {
    const run = await createRun(test.db);
    const [free, withheld] = [await ask(run, null), await ask(run, null)];
    const inRun = <T>(work: Parameters<typeof test.db.withTenant<T>>[1]) =>
      test.db.withTenant(run.organizationId, work);
    for (const { id } of [free, withheld]) await decide(run, id, 'approved_once');
    const reason = { source: 'policy', reason: 'deploy.sh changed' };
    expect(await inRun((tx) => releaseApproved(tx, free.id))).toBe(true);
    expect(await inRun((tx) => withholdApproved(tx, { approvalId: free.id, ...reason }))).toBe(false);
    expect(await inRun((tx) => releaseApproved(tx, free.id))).toBe(true);
    expect(await inRun((tx) => withholdApproved(tx, { approvalId: withheld.id, ...reason }))).toBe(true);
    expect(await inRun((tx) => releaseApproved(tx, withheld.id))).toBe(false);
  });

  it('hands the wake-ups of asking and deciding to the driver', async () => {
    const run = await createRun(test.db);
    const rows: OutboxRow[] = [];
    test.db.outbox = { dispatch: (sent) => rows.push(...sent) };
    const { id } = await ask(run, null);
    await decide(run, id, 'denied');
    test.db.outbox = null;
    expect(rows.map((row) => [row.kind, row.subjectId])).toEqual([
      ['approval_requested', run.runId],
      ['approval_decided', run.runId],
    ]);
  });
});
