import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { stopRun } from '../../../src/activities/run-stops.js';
import { admitRun } from '../../../src/core/launch/admission.js';
import { decideApproval } from '../../../src/core/approvals/approvals.js';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { readFinalizationRequest, requestFinalization } from '../../../src/core/finalization/finalization-requests.js';
import { attachSandbox } from '../../../src/core/launch/launch.js';
import { GRANT_EXPIRED, insertActiveGrant, settleGrant } from '../../../src/core/network/network-grants.js';
import { readRunView } from '../../../src/core/runs/run-view.js';
import { requestApproval } from '../../../src/core/gate/gate.js';
import type { ApprovedNetwork } from '../../../src/domain/network/grant.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun, gateCall, readLedger, readStatus, type FixtureRun } from '../../support/runs/run-fixture.js';

const LIMITS = { globalMaxActive: null, tenantMaxActive: null, queueTtlSecs: 900 };

describe('a run on its way to its sandbox', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  const attach = (run: FixtureRun) =>
    test.db.withTenant(run.organizationId, (tx) =>
      attachSandbox(tx, run.runId, { runtime: 'test', external_id: '0123456789abcdef', attrs: {} }),
    );
  const seeTestHost = () =>
    seeHost(test.db.pool, {
      ...{ id: uuidv7(), name: 'one', capacity: 9, provider: 'test' },
      harnesses: ['builtin', 'replay'],
    });
  const finalizationRequestOf = (run: FixtureRun) =>
    test.db.withTenant(run.organizationId, (tx) => readFinalizationRequest(tx, run.runId));
  const view = (run: FixtureRun, queueTtlSecs = 900) =>
    test.db.withTenant(run.organizationId, (tx) => readRunView(tx, run.runId, { launchLimitSecs: 1800, queueTtlSecs }));

  it('CP-150 that asked a human before its sandbox was attached waits for the answer from its first instant', async () => {
    const run = await createRun(test.db, { status: 'initializing' });
    const asked = await requestApproval(test.db, gateCall(run), {
      risk: null,
      scope: 'once',
      scopeKey: 'git',
      scopeKeys: ['git'],
      source: 'policy',
      reason: null,
      explanation: null,
      ttlSecs: 600,
      maxPending: 16,
      payload: null,
    });
    expect(await readStatus(test.db, run)).toBe('initializing');
    expect(await attach(run)).toBe(true);
    expect(await readStatus(test.db, run)).toBe('awaiting_approval');
    const moves = (await readLedger(test.db, run)).filter((event) => event.type === 'session.status_changed');
    expect(moves.map((move) => move.data['to'])).toEqual(['running']);
    await test.db.withTenant(run.organizationId, (tx) =>
      decideApproval(tx, { approvalId: asked.approvalId ?? '', decision: 'approved_once', decidedBy: 'operator' }),
    );
    expect(await readStatus(test.db, run)).toBe('running');
    const other = await createRun(test.db, { status: 'initializing' });
    await attach(other);
    expect(await readStatus(test.db, other)).toBe('running');
  });

  it('CP-143 expires in the queue once, and not when it was given its place at that moment', async () => {
    const on = { database: test.db, capacity: { queueTtlSecs: 5 }, quiesceSecs: 30 };
    const run = await createRun(test.db, { status: 'queued' });
    expect((await view(run))?.ms_until_queue_expiry).toBeGreaterThan(800_000);
    await test.owner.query(`update sessions set queued_at = now() - interval '6 s' where id = $1`, [run.runId]);
    expect((await view(run, 5))?.ms_until_queue_expiry).toBeLessThan(0);
    await stopRun(on, run, { code: 'queue_ttl' });
    await stopRun(on, run, { code: 'queue_ttl' });
    expect(await finalizationRequestOf(run)).toMatchObject({ outcome: 'failed', needs_quiesce: false });
    expect((await finalizationRequestOf(run))?.reason).toContain('queue_ttl_expired');
    expect((await readLedger(test.db, run)).map((event) => event.type)).toEqual(['run.error']);

    const granted = await createRun(test.db, { status: 'queued' });
    await test.owner.query(`update sessions set capacity_held = true, host_id = $2 where id = $1`, [
      granted.runId,
      uuidv7(),
    ]);
    expect(await view(granted, 0)).toMatchObject({ ms_until_queue_expiry: null, host_id: null });
    await stopRun(on, granted, { code: 'queue_ttl' });
    expect(await finalizationRequestOf(granted)).toBeNull();
  });

  it('CP-140 has the whole launch deadline from its admission, however long it waited', async () => {
    await seeTestHost();
    const run = await createRun(test.db, { status: 'queued' });
    await test.owner.query(
      `update sessions set created_at = now() - interval '2 h', queued_at = now() - interval '2 h' where id = $1`,
      [run.runId],
    );
    expect((await admitRun(test.db, run, LIMITS)).admitted).toBe(true);
    expect((await view(run))?.ms_until_launch_deadline).toBeGreaterThan(1_790_000);
    expect((await view(run))?.ms_until_wall_clock).toBeNull();
  });

  describe('with a network grant', () => {
    const queuedWith = async (grant: { endsInSecs: number; status?: 'active' | 'revoked' }): Promise<FixtureRun> => {
      const network: ApprovedNetwork = {
        ...{ schema_version: 1, mode: 'approved', targets: [], denied: [], variables: {}, policy_digest: 'sha256:0' },
        expires_at: new Date(Date.now() + grant.endsInSecs * 1000).toISOString(),
      };
      const budgets = { max_wall_clock_secs: 1800 };
      const run = await createRun(test.db, { status: 'queued', budgets, spec: { network } });
      await test.db.withTenant(run.organizationId, async (tx) => {
        await insertActiveGrant(tx, run.runId, network);
        if (grant.status === 'revoked') await settleGrant(tx, run.runId, 'revoked', GRANT_EXPIRED);
      });
      return run;
    };

    it.each([1800, 1750])('is launched while the grant lasts as long as it may itself: %d s', async (endsInSecs) => {
      await seeTestHost();
      const run = await queuedWith({ endsInSecs });
      expect((await admitRun(test.db, run, LIMITS)).admitted).toBe(true);
      expect(await readStatus(test.db, run)).toBe('provisioning');
    });

    it.each([
      ['too short', { endsInSecs: 900.9 }, 'it ends in 900 s, before max_wall_clock_secs 1800; ask for a longer one'],
      ['over', { endsInSecs: -5 }, 'it expired'],
      ['over and revoked', { endsInSecs: -5, status: 'revoked' as const }, 'it expired'],
      ['revoked', { endsInSecs: 3600, status: 'revoked' as const }, 'it is not in force'],
    ])('fails instead of being launched when the grant is %s by then, and says so once', async (_name, grant, why) => {
      await seeTestHost();
      const run = await queuedWith(grant);
      expect(await admitRun(test.db, run, LIMITS)).toEqual({ admitted: false, hostId: null, waitMs: null });
      await admitRun(test.db, run, LIMITS);
      const reason = `network grant got too short while the run waited: ${why}`;
      expect(await finalizationRequestOf(run)).toMatchObject({ outcome: 'failed', reason, needs_quiesce: false });
      expect(await readStatus(test.db, run)).toBe('queued');
      const revoked = { type: 'network.grant.revoked', data: { mode: 'approved', reason } };
      expect((await readLedger(test.db, run)).map(({ type, data }) => ({ type, data }))).toEqual(
        'status' in grant ? [] : [revoked],
      );
    });

    it('is left to its end when somebody has cancelled it', async () => {
      const run = await queuedWith({ endsInSecs: 60 });
      const request = { outcome: 'cancelled', reason: 'cancelled by user', wantsQuiesce: false };
      await test.db.withTenant(run.organizationId, (tx) => requestFinalization(tx, run.runId, request));
      expect((await admitRun(test.db, run, LIMITS)).admitted).toBe(false);
      expect(await finalizationRequestOf(run)).toMatchObject({ outcome: 'cancelled' });
      expect(await readLedger(test.db, run)).toEqual([]);
    });
  });

  it('CP-143 that waits is asked again when its backoff ends, and before its time in the queue is over', async () => {
    const run = await createRun(test.db, { status: 'queued' });
    await test.owner.query(`update sessions set not_before = now() + interval '30 s' where id = $1`, [run.runId]);
    const backoff = await admitRun(test.db, run, LIMITS);
    expect(backoff.admitted).toBe(false);
    expect(backoff.waitMs).toBeGreaterThan(25_000);
    expect(backoff.waitMs).toBeLessThanOrEqual(30_000);
    expect((await admitRun(test.db, run, { ...LIMITS, queueTtlSecs: 10 })).waitMs).toBeLessThanOrEqual(10_000);
  });
});
