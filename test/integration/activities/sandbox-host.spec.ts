import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { v7 as uuidv7 } from 'uuid';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import type { SandboxHostActivities } from '../../../src/activities/run-activities.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { admitRun } from '../../../src/core/launch/admission.js';
import { readStoredDiff } from '../../../src/core/artifacts/artifacts.js';
import { seeHost } from '../../../src/core/hosts/hosts.js';
import { readFinalizationRequest } from '../../../src/core/finalization/finalization-requests.js';
import type { Sandboxes, SandboxProvider } from '../../../src/platform/sandbox/provider.js';
import type { RunHost } from '../../../src/platform/sandbox/run-host.js';
import type { RemoteAccess, WorkspaceStore } from '../../../src/platform/workspace/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger } from '../../support/gate/gated-run.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';

const LIMITS = {
  globalMaxActive: null,
  tenantMaxActive: null,
  maxConcurrentProvisions: 2,
  maxStartsPerSec: 1000,
  launchMaxAttempts: 3,
  launchRequeueBackoffSecs: 5,
};

const AWAY_MS = 300_000;

type Parts = Partial<SandboxProvider & WorkspaceStore & RunHost>;

/** A host where everything that is not given is absent. */
function brokenHost(parts: Parts): Sandboxes {
  const nothing: Parts = {
    name: 'broken',
    listRemains: () => Promise.resolve([]),
    listManaged: () => Promise.resolve([]),
    forget: () => Promise.resolve(),
    assertInstalled: () => Promise.resolve(),
    closePlane: () => Promise.resolve(),
    readOutput: () => Promise.resolve({ bytes: Buffer.from('last words\n'), cut: false }),
  };
  const host = { ...nothing, ...parts } as SandboxProvider & WorkspaceStore & RunHost;
  return { provider: host, workspaces: host, runHost: host };
}

/** None of these hosts comes far enough to fetch. */
function noRepositories(): RemoteAccess {
  throw new Error('nothing is fetched here');
}

describe('steps of a sandbox host that breaks', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(async () => {
    await test?.close();
  });

  const activitiesOn = (parts: Parts): SandboxHostActivities =>
    createSandboxHostActivities({
      database: test.db,
      ...brokenHost(parts),
      accessOf: () => noRepositories(),
      tokenTtlSecs: 60,
      limits: LIMITS,
      log: { warn: () => undefined },
      maxArchiveBytes: 1024 * 1024,
      collectTimeoutMs: 1000,
      awayMs: AWAY_MS,
    });
  const attempt = <T>(number: number, step: () => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({ attempt: number, heartbeatTimeoutMs: 2000 }).run(step);
  const attemptsOf = async (run: FixtureRun) =>
    (await test.owner.query<object>('select launch_attempts, launch_faults from sessions where id = $1', [run.runId]))
      .rows[0];
  const waitingOf = async (run: FixtureRun) =>
    (
      await test.owner.query<object>(
        `select status, capacity_held as held, host_id, round(extract(epoch from not_before - queued_at))::int as wait_secs
           from sessions where id = $1`,
        [run.runId],
      )
    ).rows[0];
  const finalizationRequestOf = (run: FixtureRun) =>
    test.db.withTenant(run.organizationId, (tx) => readFinalizationRequest(tx, run.runId));

  it('CP-131 a launch that breaks in a way nobody foresaw ends its run after three attempts, and says so', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    const host = activitiesOn({
      listRemains: () => Promise.reject(new Error('mount: /var/lib/secret: failed to setup loop device')),
    });
    for (const number of [1, 7]) {
      await expect(attempt(number, () => host.launchSandbox(run))).rejects.toThrow('loop device');
      expect(await finalizationRequestOf(run)).toBeNull();
    }
    await expect(attempt(8, () => host.launchSandbox(run))).rejects.toThrow('loop device');
    expect(await finalizationRequestOf(run)).toMatchObject({ outcome: 'failed' });
    const errors = (await readLedger(test.db, run)).filter((event) => event.type === 'run.error');
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain('/var/lib/secret');
    expect(await attempt(9, () => host.launchSandbox(run))).toEqual({ launched: false });
  });

  it('CP-140 an outage of the control plane never counts as a launch', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    const host = activitiesOn({ listRemains: () => Promise.reject(new SandgateError('unavailable', 'the database')) });
    for (const number of [1, 2, 3, 40]) {
      await expect(attempt(number, () => host.launchSandbox(run))).rejects.toThrow('the database');
    }
    expect(await finalizationRequestOf(run)).toBeNull();
    expect(await attemptsOf(run)).toEqual({ launch_attempts: 0, launch_faults: 0 });
  });

  it('CP-140 a run whose host is full goes back into the queue without its place, ever longer, until it fails', async () => {
    const run = await createGatedRun(test.db, { status: 'created' });
    const hosts = [uuidv7(), uuidv7()];
    for (const id of hosts)
      await seeHost(test.db.pool, {
        id,
        name: 'one',
        capacity: 5,
        provider: 'broken',
        harnesses: ['builtin', 'replay'],
      });
    const released: string[] = [];
    const host = activitiesOn({
      release: (runId) => Promise.resolve(void released.push(runId)),
      reserve: () => Promise.reject(new SandgateError('out_of_capacity', 'no free sandbox uid')),
    });
    const chosen: (string | null)[] = [];
    for (const waitSecs of [5, 10, null]) {
      await test.owner.query('update sessions set not_before = null where id = $1', [run.runId]);
      const admission = await admitRun(test.db, run, { ...LIMITS, queueTtlSecs: 900 });
      expect(admission.admitted).toBe(true);
      chosen.push(admission.hostId);
      expect(await attempt(1, () => host.launchSandbox(run))).toEqual({ launched: false });
      const row = await waitingOf(run);
      if (waitSecs === null) expect(row).toMatchObject({ status: 'provisioning', held: true });
      else {
        expect(row).toEqual({ status: 'queued', held: false, wait_secs: waitSecs, host_id: null });
        expect((await admitRun(test.db, run, { ...LIMITS, queueTtlSecs: 900 })).waitMs).toBeGreaterThan(1000);
      }
    }
    expect(released).toHaveLength(3);
    expect(chosen[1]).not.toBe(chosen[0]);
    expect(await finalizationRequestOf(run)).toMatchObject({
      outcome: 'failed',
      reason: 'capacity_exhausted_max_attempts: no free sandbox uid (3 launches)',
    });
    const moves = (await readLedger(test.db, run)).filter((event) => event.type === 'session.status_changed');
    expect(moves.map((move) => [move.data['from'], move.data['to']])).toEqual([
      ['created', 'provisioning'],
      ['provisioning', 'queued'],
      ['queued', 'provisioning'],
      ['provisioning', 'queued'],
      ['queued', 'provisioning'],
    ]);
    expect(moves[1]?.data['reason']).toBe('out of capacity: no free sandbox uid; launch 2 of 3 in 5 s');
  });

  it('CP-140 a host that is found full when the workspace is being prepared is a fault, since no run goes back from there', async () => {
    const run = await createGatedRun(test.db, { status: 'initializing' });
    const full = Object.assign(new Error('write'), { code: 'ENOSPC' });
    const host = activitiesOn({ release: () => Promise.resolve(), reserve: () => Promise.reject(full) });
    for (const number of [1, 2]) await expect(attempt(number, () => host.launchSandbox(run))).rejects.toThrow('write');
    await expect(attempt(3, () => host.launchSandbox(run))).rejects.toThrow('write');
    expect(await finalizationRequestOf(run)).toMatchObject({ outcome: 'failed' });
  });

  it('begins no more launches in a second than it may', async () => {
    const began: number[] = [];
    const host = createSandboxHostActivities({
      database: test.db,
      ...brokenHost({
        listRemains: () => {
          began.push(performance.now());
          return Promise.reject(new SandgateError('unavailable', 'not yet'));
        },
      }),
      accessOf: () => noRepositories(),
      tokenTtlSecs: 60,
      limits: { ...LIMITS, maxConcurrentProvisions: 8, maxStartsPerSec: 3 },
      log: { warn: () => undefined },
      maxArchiveBytes: 1024 * 1024,
      collectTimeoutMs: 1000,
      awayMs: AWAY_MS,
    });
    const runs = await Promise.all(
      Array.from({ length: 7 }, () => createGatedRun(test.db, { status: 'provisioning' })),
    );
    const started = performance.now();
    await Promise.allSettled(runs.map((run) => attempt(1, () => host.launchSandbox(run))));
    expect(began).toHaveLength(7);
    // Whatever the machine does besides makes a launch later, never earlier: three a second from the first one on.
    for (const [index, at] of began.entries()) {
      expect(at - started).toBeGreaterThan(Math.floor(index / 3) * 1000 - 20);
    }
  });

  it('CP-140 two attempts of one launch never overlap', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    let now = 0;
    let most = 0;
    const host = activitiesOn({
      listRemains: async () => {
        most = Math.max(most, (now += 1));
        await delay(100);
        now -= 1;
        throw new SandgateError('unavailable', 'not yet');
      },
    });
    await Promise.allSettled([1, 2].map((number) => attempt(number, () => host.launchSandbox(run))));
    expect(most).toBe(1);
  });

  it('CP-140 a launch that was cancelled leaves the end of its run to whoever cancelled it', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    const environment = new MockActivityEnvironment({ attempt: 3, heartbeatTimeoutMs: 2000 });
    const host = activitiesOn({
      listRemains: () => {
        environment.cancel();
        return Promise.reject(new SandgateError('internal', 'the workspace went away'));
      },
    });
    await expect(environment.run(() => host.launchSandbox(run))).rejects.toThrow('went away');
    expect(await finalizationRequestOf(run)).toBeNull();
  });

  it('CP-145 a workspace that cannot be opened again is given up, and the log is kept', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.runId]);
    const host = activitiesOn({
      collectDiff: () => Promise.reject(new Error('e2fsck: unexpected inconsistency')),
    });
    await expect(attempt(5, () => host.collectArtifacts(run))).rejects.toThrow('e2fsck');
    await attempt(6, () => host.collectArtifacts(run));
    expect(await test.db.withTenant(run.organizationId, (tx) => readStoredDiff(tx, run.runId))).toBe('missing');
    const { rows } = await test.owner.query<{ kind: string }>(
      'select kind from artifacts where session_id = $1 order by kind',
      [run.runId],
    );
    expect(rows.map((row) => row.kind)).toEqual(['diff', 'log']);
  });

  it('CP-145 a sandbox that does not die is not collected and does not hold up the end of its run', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.runId]);
    const host = activitiesOn({
      listManaged: () =>
        Promise.resolve([{ runId: run.runId, handle: { runtime: 'broken', external_id: 'x', attrs: {} } }]),
      terminate: () => Promise.reject(new SandgateError('sandbox_failed', 'its processes do not end')),
    });
    await expect(attempt(1, () => host.stopSandbox(run, 0))).rejects.toThrow('do not end');
    await attempt(6, () => host.stopSandbox(run, 0));
    await attempt(1, () => host.collectArtifacts(run));
    const missing = (await readLedger(test.db, run)).filter((event) => event.type === 'artifact.missing');
    expect(missing.map((event) => event.data['reason'])).toEqual(['runner_still_live']);
  });

  it('CP-145 an engine that never answers again does not hold up the end of its run either', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.runId]);
    const away = () => Promise.reject(new SandgateError('unavailable', 'the container engine does not answer'));
    const host = activitiesOn({ listManaged: away, readOutput: away });
    const asked = (agoMs: number, step: () => Promise<void>): Promise<void> =>
      new MockActivityEnvironment({
        ...{ attempt: 40, heartbeatTimeoutMs: 2000, scheduledTimestampMs: Date.now() - agoMs },
      }).run(step);
    await expect(asked(AWAY_MS - 60_000, () => host.stopSandbox(run, 0))).rejects.toThrow('does not answer');
    expect(await test.db.withTenant(run.organizationId, (tx) => readStoredDiff(tx, run.runId))).toBe('none');
    await asked(AWAY_MS, () => host.stopSandbox(run, 0));
    await asked(0, () => host.collectArtifacts(run));
    const missing = (await readLedger(test.db, run)).filter((event) => event.type === 'artifact.missing');
    expect(missing.map((event) => event.data['reason'])).toEqual(['runner_still_live']);
  });

  it('CP-145 a log that cannot be read any more leaves the diff as it is', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.runId]);
    const diff = { patch: Buffer.from('diff --git a/a b/a\n'), empty: false, truncated: false, leftOut: [] };
    const host = activitiesOn({
      collectDiff: () => Promise.resolve(diff),
      readOutput: () => Promise.reject(new Error('no log')),
    });
    await expect(attempt(5, () => host.collectArtifacts(run))).rejects.toThrow('no log');
    await attempt(6, () => host.collectArtifacts(run));
    expect(await test.db.withTenant(run.organizationId, (tx) => readStoredDiff(tx, run.runId))).toBe('collected');
    expect((await readLedger(test.db, run)).filter((event) => event.type === 'artifact.missing')).toEqual([]);
  });
});
