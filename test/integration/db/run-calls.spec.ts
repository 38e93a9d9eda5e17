import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { verifyExport } from '../../../src/domain/ledger/verify-export.js';
import { decideAutomatic, type AutomaticVerdict } from '../../../src/core/gate/gate.js';
import { exportLedger } from '../../../src/core/ledger/ledger-heads.js';
import { createHeadSigner } from '../../../src/domain/ledger/signed-head.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createOrganization, createRun, gateCall, readLedger } from '../../support/runs/run-fixture.js';
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
      for await (const line of exportLedger(test.db, run.organizationId, run.sessionId, signer)) lines.push(line);
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
      if (query.name !== 'svc_run_calls') return send(query);
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
      await holder.query(`select set_config('svc.tenant', $1, true)`, [locked.organizationId]);
      await holder.query('select 1 from session_heads where session_id = $1 for update', [locked.sessionId]);
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
});
