import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { acceptsWork, RUN_STATUSES } from '../../../src/domain/run/status.js';
import { decideAutomatic, requestApproval, type AutomaticVerdict, type Question } from '../../../src/core/gate/gate.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, readLedger, readStatus, tokenDigest } from '../../support/runs/run-fixture.js';

const ALLOW: AutomaticVerdict = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null };
const DENY: AutomaticVerdict = { kind: 'deny', source: 'policy', originalVerdict: null, reason: 'network egress' };
const QUESTION: Question = {
  source: 'policy',
  risk: 'pushes',
  reason: 'needs a person',
  scope: 'once',
  scopeKey: 'git push',
  scopeKeys: ['git push'],
  explanation: null,
  ttlSecs: 600,
  maxPending: 16,
  payload: { sealed: Buffer.from('{"command":"git push"}'), keyVersion: 0 },
};

describe('the gate function', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  it('CP-292 CP-293 records a call and its automatic verdict in one go', async () => {
    const run = await createRun(test.db);
    const call = gateCall(run);
    expect(await decideAutomatic(test.db, call, ALLOW)).toMatchObject({ outcome: 'allow', seq: 2, toolCalls: 1 });
    expect(await decideAutomatic(test.db, gateCall(run), DENY)).toMatchObject({
      outcome: 'deny',
      seq: 4,
      toolCalls: 2,
    });
    const events = await readLedger(test.db, run);
    expect(events.map((event) => event.type)).toEqual([
      'tool.requested',
      'tool.decision',
      'tool.requested',
      'tool.decision',
    ]);
    expect(events[1]).toMatchObject({
      actor: 'system',
      data: {
        tool_call_id: call.toolCallId,
        tool: 'Bash',
        verdict: 'allow',
        source: 'policy',
        original_verdict: null,
        reason: null,
      },
    });
  });

  it('answers a repeated call from the registry, without a new event', async () => {
    const run = await createRun(test.db);
    const [allowed, denied] = [gateCall(run), gateCall(run)];
    await decideAutomatic(test.db, allowed, ALLOW);
    await decideAutomatic(test.db, denied, DENY);
    expect(await decideAutomatic(test.db, allowed, DENY)).toMatchObject({ outcome: 'replay_allow' });
    expect(await decideAutomatic(test.db, denied, ALLOW)).toMatchObject({ outcome: 'replay_deny' });
    expect(await readLedger(test.db, run)).toHaveLength(4);
  });

  it('denies the same id with another tool or input every time and leaves the stored verdict', async () => {
    const run = await createRun(test.db);
    const call = gateCall(run);
    await decideAutomatic(test.db, call, ALLOW);
    const other = { ...call, inputDigest: 'sha256:other' };
    expect(await decideAutomatic(test.db, other, ALLOW)).toMatchObject({ outcome: 'protocol_violation' });
    expect(await requestApproval(test.db, { ...call, tool: 'Write' }, QUESTION)).toMatchObject({
      outcome: 'protocol_violation',
    });
    expect(await decideAutomatic(test.db, call, ALLOW)).toMatchObject({ outcome: 'replay_allow' });
    const sources = (await readLedger(test.db, run)).slice(2).map((event) => event.data['source']);
    expect(sources).toEqual(['protocol_violation', 'protocol_violation']);
  });

  it('CP-287 checks the audience and the life of the token before anything else', async () => {
    const run = await createRun(test.db, { status: 'finalizing' });
    const foreign = await createRun(test.db);
    const audience = await decideAutomatic(test.db, gateCall(run, { tokenSha256: tokenDigest(run, 'control') }), ALLOW);
    expect(audience.outcome).toBe('wrong_audience');
    const stranger = await decideAutomatic(
      test.db,
      gateCall(run, { tokenSha256: tokenDigest(foreign, 'tool') }),
      ALLOW,
    );
    expect(stranger.outcome).toBe('unauthorized');
    await test.db.withTenant(run.organizationId, (tx) =>
      tx.query(`update api_tokens set expires_at = now() - interval '1 s'`),
    );
    expect((await decideAutomatic(test.db, gateCall(run), ALLOW)).outcome).toBe('unauthorized');
    expect(await readLedger(test.db, run)).toEqual([]);
  });

  it('serves exactly the statuses that accept work', async () => {
    for (const status of RUN_STATUSES) {
      const run = await createRun(test.db, { status });
      const { outcome } = await decideAutomatic(test.db, gateCall(run), ALLOW);
      expect([status, outcome]).toEqual([status, acceptsWork(status) ? 'allow' : 'inactive']);
      expect(await readLedger(test.db, run)).toHaveLength(acceptsWork(status) ? 2 : 0);
    }
  });

  it('asks for the specification again when the verdict was made from another one', async () => {
    const run = await createRun(test.db);
    expect(await decideAutomatic(test.db, gateCall(run, { runSpecDigest: 'sha256:0' }), ALLOW)).toMatchObject({
      outcome: 'reload',
    });
    expect(await readLedger(test.db, run)).toEqual([]);
  });

  it('CP-076 lets exactly max_tool_calls through under 64 callers, and tells the excess', async () => {
    const run = await createRun(test.db, { budgets: { max_tool_calls: 10 } });
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => decideAutomatic(test.db, gateCall(run, { maxToolCalls: 10 }), ALLOW)),
    );
    const outcomes = answers.map((answer) => answer.outcome).sort();
    expect(outcomes).toEqual([...Array<string>(10).fill('allow'), ...Array<string>(54).fill('budget')]);
    const events = await readLedger(test.db, run);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    const count = (type: string, member?: [string, string]): number =>
      events.filter((event) => event.type === type && (member === undefined || event.data[member[0]] === member[1]))
        .length;
    expect(count('tool.requested')).toBe(64);
    expect(count('tool.decision', ['source', 'budget'])).toBe(54);
    // Whoever ends the run writes it, once, with the finalization request.
    expect(count('budget.exceeded')).toBe(0);
    expect(events.filter((event) => event.type === 'budget.warning').map((event) => event.data['spent'])).toEqual([
      '8',
    ]);
  });

  it('refuses the first call under a budget of none, and counts denied calls but no repetition', async () => {
    const none = await createRun(test.db);
    expect((await decideAutomatic(test.db, gateCall(none, { maxToolCalls: 0 }), ALLOW)).outcome).toBe('budget');
    const run = await createRun(test.db);
    const denied = gateCall(run, { maxToolCalls: 1 });
    expect((await decideAutomatic(test.db, denied, DENY)).outcome).toBe('deny');
    expect((await decideAutomatic(test.db, denied, DENY)).outcome).toBe('replay_deny');
    expect((await decideAutomatic(test.db, gateCall(run, { maxToolCalls: 1 }), ALLOW)).outcome).toBe('budget');
  });

  it('CP-130 CP-150 asks once however often the call is presented, and holds its input', async () => {
    const run = await createRun(test.db);
    const call = gateCall(run);
    const answers = await Promise.all(Array.from({ length: 8 }, () => requestApproval(test.db, call, QUESTION)));
    expect(answers.filter((answer) => answer.outcome === 'asked')).toHaveLength(1);
    expect(answers.filter((answer) => answer.outcome === 'pending')).toHaveLength(7);
    expect(new Set(answers.map((answer) => answer.approvalId)).size).toBe(1);
    const events = await readLedger(test.db, run);
    expect(events.map((event) => event.type)).toEqual(['tool.requested', 'approval.requested']);
    expect(events[1]?.data['expires_at']).toBe(answers[0]?.expiresAt?.toISOString());
    expect(await readStatus(test.db, run)).toBe('awaiting_approval');
    const kept = await test.db.withTenant(run.organizationId, (tx) =>
      tx.query('select kind, key_version from tool_call_payloads'),
    );
    expect(kept).toEqual([{ kind: 'input', key_version: 0 }]);
  });

  it('denies nothing by itself when too many approvals are pending, but says so', async () => {
    const run = await createRun(test.db);
    for (let n = 0; n < 3; n += 1) await requestApproval(test.db, gateCall(run), { ...QUESTION, maxPending: 3 });
    expect(await requestApproval(test.db, gateCall(run), { ...QUESTION, maxPending: 3 })).toMatchObject({
      outcome: 'too_many_pending',
    });
    expect(await readLedger(test.db, run)).toHaveLength(6);
  });
});
