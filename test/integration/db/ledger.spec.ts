import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewEvent } from '../../../src/domain/events/event-kinds.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, readLedger } from '../../support/runs/run-fixture.js';

describe('the ledger of a run', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  it('CP-131 numbers events without a gap under 32 concurrent appenders, rollbacks included', async () => {
    const run = await createRun(test.db);
    const message = (text: string): NewEvent[] => [
      { actor: 'agent', type: 'agent.message', data: { role: 'assistant', text } },
    ];
    const failures: unknown[] = [];
    await Promise.all(
      Array.from({ length: 32 }, async (_, appender) => {
        for (let n = 0; n < 20; n += 1) {
          try {
            await test.db.withTenant(run.organizationId, async (tx) => {
              await tx.append(run.runId, message(`${appender}-${n}`));
              if (n % 5 === 4) throw new Error('rolled back on purpose');
            });
          } catch (error) {
            if (!(error instanceof Error && error.message === 'rolled back on purpose')) failures.push(error);
          }
        }
      }),
    );
    expect(failures).toEqual([]);
    const events = await readLedger(test.db, run);
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 32 * 16 }, (_, index) => index + 1));
    expect(new Set(events.map((event) => event.data['text'])).size).toBe(32 * 16);
  });

  it('CP-131 CP-030 appends alone as in a transaction, and to no run of another organization', async () => {
    const [run, foreign] = [await createRun(test.db), await createRun(test.db)];
    const event = { actor: 'agent', type: 'agent.message', data: { role: 'assistant', text: 'x' } } as const;
    const seqs = await Promise.all(
      Array.from({ length: 32 }, () => test.db.append(run.organizationId, run.runId, [event, event])),
    );
    expect(seqs.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, index) => index + 1));
    await expect(test.db.append(run.organizationId, foreign.runId, [event])).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await readLedger(test.db, foreign)).toEqual([]);
  });

  it('CP-291 refuses every statement that changes or removes an event, for the owner too', async () => {
    const run = await createRun(test.db);
    await test.db.withTenant(run.organizationId, (tx) =>
      tx.append(run.runId, [{ actor: 'system', type: 'run.error', data: { message: 'x' } }]),
    );
    for (const statement of [
      `update events set actor = 'human'`,
      'delete from events',
      'truncate events',
      `update ledger_heads set key_id = 'x'`,
      'delete from ledger_heads',
    ]) {
      await expect(test.owner.query(statement)).rejects.toThrow(/append-only/);
      await expect(test.db.withTenant(run.organizationId, (tx) => tx.query(statement))).rejects.toThrow(
        /permission denied/,
      );
    }
    expect(await readLedger(test.db, run)).toHaveLength(1);
  });

  it('CP-018 refuses edits and deletions of agent revisions and policy versions', async () => {
    const run = await createRun(test.db);
    for (const table of ['agent_revisions', 'policy_versions']) {
      for (const statement of [
        `update ${table} set created_at = now()`,
        `delete from ${table}`,
        `truncate ${table} cascade`,
      ]) {
        await expect(test.owner.query(statement)).rejects.toThrow(/append-only/);
        await expect(test.db.withTenant(run.organizationId, (tx) => tx.query(statement))).rejects.toThrow(
          /permission denied/,
        );
      }
    }
  });

  it('CP-015 refuses a change of the frozen specification', async () => {
    const run = await createRun(test.db);
    for (const change of [`run_spec = '{}'`, `run_spec_digest = 'x'`, `task = 'other'`]) {
      const statement = `update sessions set ${change} where id = $1`;
      await expect(test.db.withTenant(run.organizationId, (tx) => tx.query(statement, [run.runId]))).rejects.toThrow(
        /cannot change/,
      );
    }
  });

  it('CP-140 refuses every move out of a terminal status, whoever writes', async () => {
    const run = await createRun(test.db, { status: 'completed' });
    await expect(test.owner.query(`update sessions set status = 'running' where id = $1`, [run.runId])).rejects.toThrow(
      /already completed/,
    );
  });

  it('CP-286 keeps token shapes, NUL and lone surrogates out of the ledger', async () => {
    const run = await createRun(test.db);
    const text = `token ${run.tokens.control} and \u0000 and \ud800 end`;
    await test.db.withTenant(run.organizationId, (tx) =>
      tx.append(run.runId, [
        { actor: 'agent', type: 'agent.message', data: { role: 'assistant', text, ['k\u0000']: 1 } },
      ]),
    );
    const [event] = await readLedger(test.db, run);
    expect(event?.data).toEqual({
      role: 'assistant',
      text: 'token ‹redacted› and \ufffd and \ufffd end',
      'k\ufffd': 1,
    });
  });

  it('says not_found for the run of another organization', async () => {
    const [mine, other] = [await createRun(test.db), await createRun(test.db)];
    await expect(
      test.db.withTenant(mine.organizationId, (tx) =>
        tx.append(other.runId, [{ actor: 'system', type: 'run.error', data: { message: 'x' } }]),
      ),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});
