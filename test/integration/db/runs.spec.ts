import { createHash, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { createHeadSigner } from '../../../src/domain/ledger/signed-head.js';
import { verifyExport } from '../../../src/domain/ledger/verify-export.js';
import { canMove, isSilentMove, isTerminal, RUN_STATUSES } from '../../../src/domain/run/status.js';
import { Organizations } from '../../../src/core/organizations/organizations.js';
import { recordHeartbeat } from '../../../src/core/runs/heartbeats.js';
import { readFinalizationRequest, requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { exportLedger, signLedgerHead } from '../../../src/core/ledger/ledger-heads.js';
import { migrate } from '../../../src/platform/postgres/migrate.js';
import { moveRun } from '../../../src/core/runs/run-moves.js';
import { SandboxUids } from '../../../src/core/hosts/sandbox-uids.js';
import {
  AUDIENCES,
  digestRunToken,
  lookupRunToken,
  mintRunTokens,
  renewTokens,
} from '../../../src/core/runs/tokens.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, readLedger, readStatus, tokenDigest } from '../../support/runs/run-fixture.js';

async function collect(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('the record of runs', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  it('moves exactly as the table of moves says, and tells every move but the silent ones', async () => {
    for (const from of RUN_STATUSES) {
      for (const to of RUN_STATUSES) {
        const run = await createRun(test.db, { status: from });
        const moved = await test.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, from, to, 'why'));
        expect([from, to, moved]).toEqual([from, to, canMove(from, to)]);
        expect(await readStatus(test.db, run)).toBe(moved ? to : from);
        const told =
          moved && !isSilentMove(from, to)
            ? [{ type: 'session.status_changed', data: { from, to, reason: 'why' } }]
            : [];
        expect(await readLedger(test.db, run)).toMatchObject(told);
      }
    }
  });

  it('moves once under racing movers, and a terminal move revokes the tokens', async () => {
    const run = await createRun(test.db, { status: 'finalizing' });
    const moves = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        test.db.withTenant(run.organizationId, (tx) =>
          moveRun(tx, run.runId, 'finalizing', n % 2 === 0 ? 'completed' : 'failed', null),
        ),
      ),
    );
    expect(moves.filter(Boolean)).toHaveLength(1);
    expect(await readLedger(test.db, run)).toHaveLength(1);
    expect(isTerminal((await readStatus(test.db, run)) as 'completed')).toBe(true);
    for (const audience of AUDIENCES) {
      expect(await lookupRunToken(test.db.pool, tokenDigest(run, audience))).toMatchObject({ audience, revoked: true });
    }
  });

  it('CP-141 CP-142 keeps the first finalization request of {result, cancel, failure} and none for a run that is over', async () => {
    const run = await createRun(test.db, { sandboxHandle: true });
    const record = (outcome: string, wantsQuiesce: boolean) =>
      test.db.withTenant(run.organizationId, (tx) =>
        requestFinalization(tx, run.runId, { outcome, reason: outcome, wantsQuiesce }, [
          { actor: 'system', type: 'run.error', data: { message: outcome } },
        ]),
      );
    const results = await Promise.all([
      record('cancelled', true),
      record('odd', false),
      record('failed', true),
      record('completed', false),
    ]);
    expect(results.sort()).toEqual(['already', 'already', 'already', 'recorded']);
    const finalizationRequest = await test.db.withTenant(run.organizationId, (tx) =>
      readFinalizationRequest(tx, run.runId),
    );
    expect(finalizationRequest?.outcome).toBe(
      finalizationRequest?.posted_outcome === 'odd' ? 'failed' : finalizationRequest?.posted_outcome,
    );
    expect(await readLedger(test.db, run)).toMatchObject([{ data: { message: finalizationRequest?.posted_outcome } }]);
    const over = await createRun(test.db, { status: 'failed' });
    const late = test.db.withTenant(over.organizationId, (tx) =>
      requestFinalization(tx, over.runId, { outcome: 'cancelled', reason: null, wantsQuiesce: true }),
    );
    expect(await late).toBe('terminal');
    await expect(
      test.db.withTenant(over.organizationId, (tx) =>
        requestFinalization(tx, run.runId, { outcome: 'failed', reason: null, wantsQuiesce: false }),
      ),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('asks for quiesce only where a sandbox is at work', async () => {
    const needs = async (status: 'running' | 'initializing', sandboxHandle: boolean): Promise<boolean | undefined> => {
      const run = await createRun(test.db, { status, sandboxHandle });
      return test.db.withTenant(run.organizationId, async (tx) => {
        await requestFinalization(tx, run.runId, { outcome: 'cancelled', reason: null, wantsQuiesce: true });
        return (await readFinalizationRequest(tx, run.runId))?.needs_quiesce;
      });
    };
    expect([await needs('running', true), await needs('running', false), await needs('initializing', true)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('CP-277 CP-284 CP-335 mints four tokens, one per audience, stored as SHA-256 only', async () => {
    const run = await createRun(test.db);
    for (const audience of AUDIENCES) {
      const token = run.tokens[audience];
      expect(token).toMatch(/^svc_sess_[0-9a-f]{64}$/);
      const digest = createHash('sha256').update(token).digest('hex');
      expect(digestRunToken(token)).toBe(digest);
      expect(await lookupRunToken(test.db.pool, digest)).toMatchObject({
        organizationId: run.organizationId,
        runId: run.runId,
        audience,
        expired: false,
        revoked: false,
      });
    }
    const { rows } = await test.owner.query<{ row: string }>(
      'select t::text as row from api_tokens t where session_id = $1',
      [run.runId],
    );
    expect(rows).toHaveLength(4);
    for (const { row } of rows) expect(row).not.toContain('svc_sess_');
    expect(digestRunToken('svc_sess_short')).toBeNull();
    expect(await lookupRunToken(test.db.pool, 'f'.repeat(64))).toBeNull();
  });

  it('renews what is live and replaces tokens at a repeated launch', async () => {
    const run = await createRun(test.db);
    const renew = () => test.db.withTenant(run.organizationId, (tx) => renewTokens(tx, run.runId, 60));
    expect(await renew()).toBe(true);
    await test.db.withTenant(run.organizationId, (tx) => mintRunTokens(tx, run.runId, 60));
    expect(await lookupRunToken(test.db.pool, tokenDigest(run, 'tool'))).toMatchObject({ revoked: true });
    await test.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'running', 'finalizing', null));
    await test.db.withTenant(run.organizationId, (tx) => moveRun(tx, run.runId, 'finalizing', 'failed', null));
    expect(await renew()).toBe(false);
  });

  it('notes heartbeats of a run of the organization and of no other', async () => {
    const run = await createRun(test.db);
    expect(await recordHeartbeat(test.db.pool, run.organizationId, run.runId)).toBe('running');
    expect(await recordHeartbeat(test.db.pool, uuidv7(), run.runId)).toBeNull();
  });

  it('exports a ledger that verifies without a server, and one that was tampered with in the database does not', async () => {
    const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signer = createHeadSigner(pem);
    const run = await createRun(test.db);
    for (let n = 0; n < 700; n += 100) {
      await test.db.withTenant(run.organizationId, (tx) =>
        tx.append(
          run.runId,
          Array.from({ length: 100 }, (_, i) => ({
            actor: 'agent' as const,
            type: 'agent.message',
            data: { role: 'assistant', text: `ü ${n + i} \u2028 "q"`, n: [1e21, 0.1, -0, 5e-324, 123456789.125] },
          })),
        ),
      );
    }
    const first = await signLedgerHead(test.db, run.organizationId, run.runId, signer);
    expect(await signLedgerHead(test.db, run.organizationId, run.runId, signer)).toEqual(first);
    const lines = await collect(exportLedger(test.db, run.organizationId, run.runId, signer));
    expect(await verifyExport(lines, signer.publicKeyPem)).toMatchObject({ ok: true, events: 700, problems: [] });
    await test.owner.query(`alter table events disable trigger refuse_change`);
    await test.owner.query(
      `update events set payload = jsonb_set(payload, '{data,text}', '"forged"') where session_id = $1 and seq = 9`,
      [run.runId],
    );
    await test.owner.query(`delete from events where session_id = $1 and seq = 600`, [run.runId]);
    await test.owner.query(`alter table events enable trigger refuse_change`);
    const tampered = await collect(exportLedger(test.db, run.organizationId, run.runId, signer));
    const report = await verifyExport(tampered, signer.publicKeyPem);
    expect(report.problems.map((problem) => [problem.fault, problem.line])).toEqual([
      ['edited', 10],
      ['missing', 601],
    ]);
  });

  it('gives every live run of a host its own uid, the same again, and takes it back', async () => {
    const uids = new SandboxUids(test.db.pool, uuidv7(), 231_000, 12);
    const runs = Array.from({ length: 12 }, () => uuidv7());
    const claimed = await Promise.all(runs.map((run) => uids.claim(run)));
    expect(claimed.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => 231_000 + n));
    expect(await Promise.all(runs.map((run) => uids.claim(run)))).toEqual(claimed);
    await expect(uids.claim(uuidv7())).rejects.toMatchObject({ code: 'out_of_capacity' });
    await uids.release(runs[3] ?? '');
    expect(await uids.claim(uuidv7())).toBe(claimed[3]);
  });

  it('migrates a migrated database without doing anything', async () => {
    expect(await migrate(test.ownerUrl)).toEqual([]);
  });

  it('seeds the four policies and the agent fixer once, also under racing boots', async () => {
    const organizations = new Organizations(test.db, { harness: 'builtin', model: 'claude-haiku-4-5' });
    const made = await Promise.all(Array.from({ length: 4 }, () => organizations.ensure('default')));
    expect(new Set(made.map((one) => one.id)).size).toBe(1);
    const { id } = made[0] ?? { id: '' };
    const policies = await test.db.withTenant(id, (tx) =>
      tx.query(
        'select name, version, author from policies p join policy_versions v on v.policy_id = p.id order by name',
      ),
    );
    expect(policies).toEqual(
      ['default', 'governed', 'standard', 'unrestricted'].map((name) => ({ name, version: 1, author: 'seed' })),
    );
    const agents = await test.db.withTenant(id, (tx) =>
      tx.query('select name, rev, harness from agents a join agent_revisions r on r.agent_id = a.id'),
    );
    expect(agents).toEqual([{ name: 'fixer', rev: 1, harness: 'builtin' }]);
  });
});
