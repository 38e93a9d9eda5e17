import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import type { JsonObject } from '../../../src/domain/json.js';
import { digestStoredBody } from '../../../src/domain/ledger/event-body.js';
import { closeProcessLease, openProcessLease, renewProcessLease } from '../../../src/core/budgets/process-leases.js';
import {
  countLiveReservations,
  giveUpReservations,
  settle,
  type Settlement,
} from '../../../src/core/budgets/reservations.js';
import { reserve, type ModelRequest } from '../../../src/core/budgets/reserve.js';
import { sweepReservations } from '../../../src/core/maintenance/sweeps.js';
import { decideAutomatic } from '../../../src/core/gate/gate.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, readLedger, tokenDigest, type FixtureRun } from '../../support/runs/run-fixture.js';

const MODEL_RESPONSE = {
  model: 'm',
  input_tokens: 900,
  output_tokens: 100,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  cost_usd: null,
};

describe('reservations of model requests', () => {
  let test: TestDatabase;
  let processId: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    processId = await openProcessLease(test.db.pool, { kind: 'api', hostId: null });
    // Nothing renews it here, and a sweep must not meet it run out.
    await test.owner.query(`update process_leases set lease_expires_at = now() + interval '1 day' where id = $1`, [
      processId,
    ]);
  });
  afterAll(() => test.close());

  /** One dollar per million tokens either way: one micro-dollar each. */
  function request(run: FixtureRun, change: Partial<ModelRequest> = {}): ModelRequest {
    return {
      tokenSha256: tokenDigest(run, 'llm'),
      organizationId: run.organizationId,
      runId: run.runId,
      runSpecDigest: run.runSpecDigest,
      inputTokens: 1000,
      outputTokens: 4000,
      inputCostMicros: 1000,
      outputMicrosPerMillion: 1_000_000,
      maxTokens: null,
      maxCostMicros: null,
      maxLive: 32,
      processId,
      ttlSecs: 3600,
      resultIds: [],
      refusedResultIds: [],
      maxRefused: 5,
      ...change,
    };
  }

  function charge(run: FixtureRun, reservationId: string, change: Partial<Settlement> = {}): Settlement {
    return {
      organizationId: run.organizationId,
      runId: run.runId,
      reservationId,
      state: 'charged',
      toolUses: [],
      maxTokens: null,
      maxCostMicros: null,
      events: [{ actor: 'system', type: 'model.response', data: MODEL_RESPONSE }],
      usage: {
        model: 'm',
        inputTokens: 900,
        outputTokens: 100,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        costMicros: 1000,
        source: 'facade',
      },
      ...change,
    };
  }

  async function reserved(run: FixtureRun, change: Partial<ModelRequest> = {}): Promise<string> {
    const answer = await reserve(test.db, request(run, change));
    expect(answer.outcome).toBe('reserved');
    return answer.reservationId ?? '';
  }

  it('lowers the output to what the remaining tokens or money afford', async () => {
    const run = await createRun(test.db);
    expect(await reserve(test.db, request(run))).toMatchObject({ outcome: 'reserved', outputTokens: 4000 });
    const tokens = await createRun(test.db);
    expect(await reserve(test.db, request(tokens, { maxTokens: 3000 }))).toMatchObject({
      outcome: 'reserved',
      outputTokens: 2000,
    });
    const money = await createRun(test.db);
    expect(await reserve(test.db, request(money, { maxCostMicros: 2500 }))).toMatchObject({
      outcome: 'reserved',
      outputTokens: 1500,
    });
  });

  it('tells an exhausted budget from one that live requests hold', async () => {
    const run = await createRun(test.db);
    expect((await reserve(test.db, request(run, { maxTokens: 2000 }))).outcome).toBe('exhausted');
    const id = await reserved(run, { maxTokens: 6000 });
    expect((await reserve(test.db, request(run, { maxTokens: 6000 }))).outcome).toBe('held');
    await settle(test.db, charge(run, id));
    expect(await reserve(test.db, request(run, { maxTokens: 6000 }))).toMatchObject({
      outcome: 'reserved',
      spentTokens: 1000,
    });
    expect((await reserve(test.db, request(run, { maxTokens: 1500 }))).outcome).toBe('exhausted');
  });

  it('never holds more than the budget under 64 callers', async () => {
    const run = await createRun(test.db);
    const answers = await Promise.all(
      Array.from({ length: 64 }, () =>
        reserve(test.db, request(run, { maxTokens: 20_000, outputTokens: 1500, maxLive: 64 })),
      ),
    );
    const granted = answers.filter((answer) => answer.outcome === 'reserved');
    const held = granted.reduce((sum, answer) => sum + 1000 + (answer.outputTokens ?? 0), 0);
    expect(granted.length).toBe(8);
    expect(held).toBeLessThanOrEqual(20_000);
    expect(answers.filter((answer) => answer.outcome === 'held')).toHaveLength(56);
  });

  it('caps the requests in flight', async () => {
    const run = await createRun(test.db);
    await reserved(run, { maxLive: 2 });
    await reserved(run, { maxLive: 2 });
    expect((await reserve(test.db, request(run, { maxLive: 2 }))).outcome).toBe('too_many_live');
  });

  it('CP-277 serves the llm token alone, and only a run that accepts work', async () => {
    const run = await createRun(test.db);
    expect((await reserve(test.db, request(run, { tokenSha256: tokenDigest(run, 'tool') }))).outcome).toBe(
      'wrong_audience',
    );
    const over = await createRun(test.db, { status: 'cancelling' });
    expect((await reserve(test.db, request(over))).outcome).toBe('inactive');
  });

  it('charges once, keeps unreported requests counted, and lets late usage replace them', async () => {
    const run = await createRun(test.db);
    const [once, lost, sent] = [await reserved(run), await reserved(run), await reserved(run)];
    expect(await settle(test.db, charge(run, once))).toMatchObject({
      outcome: 'charged',
      spentTokens: 1000,
      spentCostMicros: 1000,
    });
    expect(await settle(test.db, charge(run, once))).toMatchObject({ outcome: 'already', spentTokens: 1000 });
    const unreported = await settle(test.db, charge(run, lost, { state: 'unreported', usage: null, events: [] }));
    expect(unreported).toMatchObject({ outcome: 'unreported', spentTokens: 6000, spentCostMicros: 6000 });
    expect(await settle(test.db, charge(run, sent, { state: 'released', usage: null, events: [] }))).toMatchObject({
      spentTokens: 6000,
    });
    expect(await settle(test.db, charge(run, lost))).toMatchObject({
      outcome: 'charged',
      spentTokens: 2000,
      spentCostMicros: 2000,
    });
    expect(await settle(test.db, charge(run, sent))).toMatchObject({ outcome: 'already' });
    const usage = await test.db.withTenant(run.organizationId, (tx) => tx.query('select 1 from usage_entries'));
    expect(usage).toHaveLength(2);
  });

  const warnings = async (run: FixtureRun) =>
    (await readLedger(test.db, run)).filter((event) => event.type === 'budget.warning').map((event) => event.data);

  it('CP-074 warns once at 80 % of a cap and names the cap that is reached', async () => {
    const run = await createRun(test.db, { budgets: { max_tokens: 10_000, max_cost_usd: 0.002 } });
    const caps = { maxTokens: 10_000, maxCostMicros: 2000 };
    const answers = [];
    for (let n = 0; n < 3; n += 1) answers.push(await settle(test.db, charge(run, await reserved(run), caps)));
    expect(answers.map((answer) => answer.exhausted)).toEqual([null, 'max_cost_usd', 'max_cost_usd']);
    expect(await warnings(run)).toEqual([{ budget: 'max_cost_usd', limit: '0.002', spent: '0.002' }]);
  });

  it.each([
    [799, []],
    [800, [{ budget: 'max_tokens', limit: '1000', spent: '800' }]],
  ])('CP-074 after %i of 1,000 tokens it has written %j', async (outputTokens, expected) => {
    const run = await createRun(test.db, { budgets: { max_tokens: 1000 } });
    const usage = { ...charge(run, '').usage!, inputTokens: 0, outputTokens };
    await settle(test.db, charge(run, await reserved(run), { usage }));
    expect(await warnings(run)).toEqual(expected);
  });

  it('CP-074 warns of both caps when one settlement reaches both, in events whose digests are those of their bodies', async () => {
    const run = await createRun(test.db, { budgets: { max_tokens: 1000, max_cost_usd: 0.001 } });
    await settle(test.db, charge(run, await reserved(run)));
    expect(await warnings(run)).toEqual([
      { budget: 'max_tokens', limit: '1000', spent: '1000' },
      { budget: 'max_cost_usd', limit: '0.001', spent: '0.001' },
    ]);
    const stored = await test.db.withTenant(run.organizationId, (tx) =>
      tx.query<{ actor: string; type: string; payload: { data: JsonObject }; digest: string }>(
        `select actor, type, payload, encode(body_digest, 'hex') as digest from events where session_id = $1`,
        [run.runId],
      ),
    );
    for (const { actor, type, payload, digest } of stored) {
      expect(digest).toBe(digestStoredBody(actor, type, 1, payload.data));
    }
  });

  it('CP-074 late usage that lowers the spend again makes no second warning', async () => {
    const run = await createRun(test.db, { budgets: { max_tokens: 6000 } });
    const late = await reserved(run);
    await settle(test.db, charge(run, late, { state: 'unreported', usage: null, events: [] }));
    await settle(test.db, charge(run, late));
    const usage = { ...charge(run, '').usage!, inputTokens: 0, outputTokens: 4500 };
    await settle(test.db, charge(run, await reserved(run), { usage }));
    expect(await warnings(run)).toEqual([{ budget: 'max_tokens', limit: '6000', spent: '5000' }]);
  });

  it('finds results of tool uses that the gate never decided', async () => {
    const run = await createRun(test.db, { brokered: ['x'] });
    const toolUses = ['asked', 'skipped', 'brokered', 'r1', 'r2'].map((id) => ({
      id,
      name: id === 'brokered' ? 'mcp__x__y' : 'Bash',
    }));
    await settle(test.db, charge(run, await reserved(run), { toolUses }));
    const allow = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null } as const;
    await decideAutomatic(test.db, gateCall(run, { toolCallId: 'asked' }), allow);
    await reserved(run, { resultIds: ['asked', 'brokered'] });
    const renamed = await reserve(test.db, request(run, { resultIds: ['asked', 'never-metered'] }));
    expect(renamed).toMatchObject({ outcome: 'unasked_tool_use', unasked: ['never-metered'] });
    const caught = await reserve(test.db, request(run, { resultIds: ['asked', 'skipped'] }));
    expect(caught).toMatchObject({ outcome: 'unasked_tool_use', unasked: ['skipped'] });
    const first = await reserve(test.db, request(run, { refusedResultIds: ['r1'], maxRefused: 1 }));
    expect(first).toMatchObject({ outcome: 'reserved', refused: ['r1'] });
    expect((await reserve(test.db, request(run, { refusedResultIds: ['r1'], maxRefused: 1 }))).refused).toEqual([]);
    expect((await reserve(test.db, request(run, { refusedResultIds: ['r2'], maxRefused: 1 }))).outcome).toBe(
      'too_many_refused',
    );
  });

  it('settles what a dead process left behind, and everything before the run ends', async () => {
    const dead = await openProcessLease(test.db.pool, { kind: 'api', hostId: null });
    const run = await createRun(test.db);
    await reserved(run, { processId: dead });
    await reserved(run);
    expect(await renewProcessLease(test.db.pool, dead)).toBe(true);
    expect(await sweepReservations(test.db, 100)).toBe(0);
    await closeProcessLease(test.db.pool, dead);
    expect(await renewProcessLease(test.db.pool, dead)).toBe(false);
    expect(await sweepReservations(test.db, 100)).toBe(1);
    const live = () => test.db.withTenant(run.organizationId, (tx) => countLiveReservations(tx, run.runId));
    expect(await live()).toBe(1);
    await test.db.withTenant(run.organizationId, (tx) => giveUpReservations(tx, run.runId));
    expect(await live()).toBe(0);
    const [head] = await test.db.withTenant(run.organizationId, (tx) =>
      tx.query<{ spent: number }>('select spent_tokens::int as spent from session_heads where session_id = $1', [
        run.runId,
      ]),
    );
    expect(head?.spent).toBe(10_000);
  });

  it('settling an unknown reservation changes nothing', async () => {
    const run = await createRun(test.db);
    expect(await settle(test.db, charge(run, uuidv7()))).toMatchObject({ outcome: 'already', spentTokens: 0 });
    expect(await readLedger(test.db, run)).toEqual([]);
  });
});
