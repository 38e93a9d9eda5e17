import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { verifyExport } from '../../../src/domain/ledger/verify-export.js';
import { settle, type Settlement } from '../../../src/core/budgets/reservations.js';
import { reserve, type ModelRequest } from '../../../src/core/budgets/reserve.js';
import { decideAutomatic, type AutomaticVerdict, type GateAnswer } from '../../../src/core/gate/gate.js';
import { exportLedger } from '../../../src/core/ledger/ledger-heads.js';
import { createHeadSigner } from '../../../src/domain/ledger/signed-head.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization, createRun, gateCall, readLedger, tokenDigest } from '../../support/runs/run-fixture.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const ALLOW: AutomaticVerdict = { kind: 'allow', source: 'policy', originalVerdict: null, reason: null };
const DENY: AutomaticVerdict = { kind: 'deny', source: 'policy', originalVerdict: 'deny', reason: 'no' };

describe('hot-path calls that arrive together', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  async function runsOf(organizations: number, each: number): Promise<FixtureRun[]> {
    const runs: FixtureRun[] = [];
    for (let n = 0; n < organizations; n += 1) {
      const organization = await createOrganization(test.db);
      for (let m = 0; m < each; m += 1) runs.push(await createRun(test.db, { in: organization }));
    }
    return runs;
  }

  it('share round trips, and leave each run with a whole chain of its own calls', async () => {
    const runs = await runsOf(2, 4);
    const queries = jest.spyOn(test.db.pool, 'query');
    const answers = await Promise.all(
      Array.from({ length: 160 }, (_, n) =>
        decideAutomatic(test.db, gateCall(runs[n % 8]!, { toolCallId: `c${n}` }), n % 3 === 0 ? DENY : ALLOW),
      ),
    );
    expect(queries.mock.calls.length).toBeLessThan(40);
    queries.mockRestore();
    expect(answers.map((answer) => answer.outcome)).toEqual(answers.map((_, n) => (n % 3 === 0 ? 'deny' : 'allow')));
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signer = createHeadSigner(pem);
    for (const [index, run] of runs.entries()) {
      const lines: string[] = [];
      for await (const line of exportLedger(test.db, run.organizationId, run.runId, signer)) lines.push(line);
      expect(await verifyExport(lines, signer.publicKeyPem)).toMatchObject({ ok: true, events: 40, problems: [] });
      const requested = (await readLedger(test.db, run)).filter((event) => event.type === 'tool.requested');
      expect(requested.map((event) => event.data['tool_call_id']).toSorted()).toEqual(
        Array.from({ length: 20 }, (_, n) => `c${index + n * 8}`).toSorted(),
      );
      const mine = answers.filter((_, n) => n % 8 === index);
      expect(mine.map((answer) => answer.toolCalls)).toEqual(mine.map((_, n) => n + 1));
      expect(mine.map((answer) => answer.seq)).toEqual(mine.map((_, n) => (n + 1) * 2));
    }
  });

  it('leave in one statement of their organization at a time, while those of another go', async () => {
    const runs = await runsOf(3, 2);
    const { pool } = test.db;
    interface Sent {
      name: string;
      values: unknown[];
    }
    const send = pool.query.bind(pool) as (query: Sent) => Promise<unknown>;
    const underWay: unknown[] = [];
    const seen: unknown[][] = [];
    const counted = async (query: Sent): Promise<unknown> => {
      if (query.name !== 'svc_batch_calls') return send(query);
      underWay.push(query.values[0]);
      seen.push([...underWay]);
      return send(query).finally(() => underWay.splice(underWay.indexOf(query.values[0]), 1));
    };
    const queries = jest.spyOn(pool, 'query').mockImplementation(counted as never);
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        decideAutomatic(test.db, gateCall(runs[n % 6]!, { toolCallId: `d${n}` }), ALLOW),
      ),
    );
    queries.mockRestore();
    expect(seen.filter((organizations) => new Set(organizations).size !== organizations.length)).toEqual([]);
    expect(Math.max(...seen.map((organizations) => organizations.length))).toBe(2);
  });

  it('register a call that comes twice at once only once', async () => {
    const [run, other] = (await runsOf(1, 2)) as [FixtureRun, FixtureRun];
    const calls = [gateCall(run), gateCall(other), gateCall(run)];
    const answers = await Promise.all(
      [...calls, ...calls, ...calls].map((call) => decideAutomatic(test.db, call, ALLOW)),
    );
    expect(answers.map((answer) => answer.outcome)).toEqual([
      ...calls.map(() => 'allow'),
      ...calls.map(() => 'replay_allow'),
      ...calls.map(() => 'replay_allow'),
    ]);
    expect(await readLedger(test.db, run)).toHaveLength(4);
  });

  it('are not held up by a run that somebody else has locked', async () => {
    const runs = await runsOf(1, 8);
    const locked = runs[3]!;
    const holder = await test.owner.connect();
    try {
      await holder.query('begin');
      await holder.query(`select set_config('service.tenant_id', $1, true)`, [locked.organizationId]);
      await holder.query('select 1 from session_heads where session_id = $1 for update', [locked.runId]);
      let released = false;
      const held = decideAutomatic(test.db, gateCall(locked), ALLOW).then((answer) => ({ answer, released }));
      const others = runs.filter((run) => run !== locked);
      const answers = await Promise.all(
        [...others, ...others].map((run) => decideAutomatic(test.db, gateCall(run), ALLOW)),
      );
      expect(new Set(answers.map((answer) => answer.outcome))).toEqual(new Set(['allow']));
      released = true;
      await holder.query('commit');
      expect(await held).toMatchObject({ answer: { outcome: 'allow', seq: 2 }, released: true });
    } finally {
      holder.release();
    }
  });

  it('fail alone: an error of one is nobody else’s', async () => {
    const runs = await runsOf(1, 6);
    const settled = await Promise.allSettled(
      runs.flatMap((run, n) => [
        decideAutomatic(test.db, gateCall(run), ALLOW),
        decideAutomatic(test.db, gateCall(run, n === 4 ? { toolCallId: 'a\u0000b' } : {}), ALLOW),
      ]),
    );
    expect(settled.map((one) => one.status)).toEqual(
      Array.from({ length: 12 }, (_, n) => (n === 9 ? 'rejected' : 'fulfilled')),
    );
    for (const [n, run] of runs.entries()) expect(await readLedger(test.db, run)).toHaveLength(n === 4 ? 2 : 4);
  });

  it('are in a group what they are one by one: a warning stands behind the call that reached it', async () => {
    const budgets = { max_tool_calls: 8, max_tokens: 20_000 };
    const [single, grouped] = [await createRun(test.db, { budgets }), await createRun(test.db, { budgets })];
    const calls = [...'abcdeafgb'].map((toolCallId, n) => ({ toolCallId, verdict: n % 3 === 0 ? DENY : ALLOW }));
    const decide = (run: FixtureRun) => (call: (typeof calls)[number]) =>
      decideAutomatic(test.db, gateCall(run, { toolCallId: call.toolCallId, maxToolCalls: 8 }), call.verdict);
    const expectedAnswers = await oneByOne(calls, decide(single));
    expect((await atOnce(calls, decide(grouped))).map(told)).toEqual(expectedAnswers.map(told));
    const charge = (run: FixtureRun) => (id: string) => settle(test.db, chargeOf(run, id));
    const [first, second] = [await reservations(single), await reservations(grouped)];
    expect(await atOnce(second, charge(grouped))).toEqual(await oneByOne(first, charge(single)));
    const [expected, ledger] = [await readLedger(test.db, single), await readLedger(test.db, grouped)];
    expect(ledger).toEqual(expected);
    expect(ledger.filter((event) => event.type === 'budget.warning').map((event) => event.data)).toEqual([
      { budget: 'max_tool_calls', limit: '8', spent: '7' },
      { budget: 'max_tokens', limit: '20000', spent: '16000' },
    ]);
  });

  /** Six, of which the third comes twice. */
  async function reservations(run: FixtureRun): Promise<string[]> {
    const answers = await oneByOne([1, 2, 3, 4, 5, 6], () => reserve(test.db, requestOf(run)));
    return answers.flatMap(({ reservationId }, n) =>
      Array.from({ length: n === 2 ? 2 : 1 }, () => reservationId ?? ''),
    );
  }
});

async function oneByOne<T, A>(items: T[], call: (item: T) => Promise<A>): Promise<A[]> {
  const answers: A[] = [];
  for (const item of items) answers.push(await call(item));
  return answers;
}

function atOnce<T, A>(items: T[], call: (item: T) => Promise<A>): Promise<A[]> {
  return Promise.all(items.map(call));
}

function told({ outcome, seq, toolCalls, reason }: GateAnswer): object {
  return { outcome, seq, toolCalls, reason };
}

function requestOf(run: FixtureRun): ModelRequest {
  return {
    tokenSha256: tokenDigest(run, 'llm'),
    organizationId: run.organizationId,
    runId: run.runId,
    runSpecDigest: run.runSpecDigest,
    inputTokens: 10,
    outputTokens: 1024,
    inputCostMicros: null,
    outputMicrosPerMillion: null,
    maxTokens: 20_000,
    maxCostMicros: null,
    maxLive: 32,
    processId: uuidv7(),
    ttlSecs: 3600,
    resultIds: [],
    refusedResultIds: [],
    maxRefused: 5,
  };
}

/** 4,000 tokens. */
function chargeOf(run: FixtureRun, reservationId: string): Settlement {
  return {
    organizationId: run.organizationId,
    runId: run.runId,
    reservationId,
    state: 'charged',
    toolUses: [],
    maxTokens: 20_000,
    maxCostMicros: null,
    events: [{ actor: 'system', type: 'agent.message', data: { role: 'assistant', text: 'an answer' } }],
    usage: {
      model: 'm',
      inputTokens: 3900,
      outputTokens: 100,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costMicros: null,
      source: 'facade',
    },
  };
}
