import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import type { SandboxHostActivities } from '../../../src/activities/run-activities.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { readStoredDiff } from '../../../src/platform/db/artifacts.js';
import { readIntent } from '../../../src/platform/db/intents.js';
import type { SandboxProvider } from '../../../src/platform/sandbox/provider.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createGatedRun, readLedger } from '../../support/gated-run.js';
import type { FixtureRun } from '../../support/run-fixture.js';

/** A host where everything that is not given is absent. */
function brokenHost(parts: Partial<SandboxProvider>): SandboxProvider {
  const nothing: Partial<SandboxProvider> = {
    name: 'broken',
    listRemains: () => Promise.resolve([]),
    listManaged: () => Promise.resolve([]),
    readOutput: () => Promise.resolve(Buffer.from('last words\n')),
    workspaceOwner: () => Promise.resolve(null),
  };
  return { ...nothing, ...parts } as SandboxProvider;
}

describe('steps of a sandbox host that breaks', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.close());

  const activitiesOn = (parts: Partial<SandboxProvider>): SandboxHostActivities =>
    createSandboxHostActivities({
      database: test.db,
      provider: brokenHost(parts),
      dataDir: '/nonexistent/sandgate',
      localCopyRoots: [],
      tokenTtlSecs: 60,
      launchesAtOnce: 2,
      collectTimeoutMs: 1000,
    });
  const attempt = <T>(number: number, step: () => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({ attempt: number, heartbeatTimeoutMs: 2000 }).run(step);
  const intentOf = (run: FixtureRun) => test.db.withTenant(run.organizationId, (tx) => readIntent(tx, run.sessionId));

  it('CP-131 a launch that breaks in a way nobody foresaw ends its run after three attempts, and says so', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    const host = activitiesOn({
      listRemains: () => Promise.reject(new Error('mount: /var/lib/secret: failed to setup loop device')),
    });
    await expect(attempt(2, () => host.launchSandbox(run))).rejects.toThrow('loop device');
    expect(await intentOf(run)).toBeNull();
    await expect(attempt(3, () => host.launchSandbox(run))).rejects.toThrow('loop device');
    expect(await intentOf(run)).toMatchObject({ outcome: 'failed' });
    const errors = (await readLedger(test.db, run)).filter((event) => event.type === 'run.error');
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain('/var/lib/secret');
    expect(await attempt(4, () => host.launchSandbox(run))).toEqual({ launched: false });
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
    expect(await intentOf(run)).toBeNull();
  });

  it('CP-145 a workspace that cannot be opened again is given up, and the log is kept', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.sessionId]);
    const host = activitiesOn({
      reopenWorkspace: () => Promise.reject(new Error('e2fsck: unexpected inconsistency')),
    });
    await expect(attempt(5, () => host.collectArtifacts(run))).rejects.toThrow('e2fsck');
    await attempt(6, () => host.collectArtifacts(run));
    expect(await test.db.withTenant(run.organizationId, (tx) => readStoredDiff(tx, run.sessionId))).toBe('missing');
    const { rows } = await test.owner.query<{ kind: string }>(
      'select kind from artifacts where session_id = $1 order by kind',
      [run.sessionId],
    );
    expect(rows.map((row) => row.kind)).toEqual(['diff', 'log']);
  });

  it('CP-145 a sandbox that does not die is not collected and does not hold up the end of its run', async () => {
    const run = await createGatedRun(test.db, { status: 'finalizing' });
    await test.owner.query(`update sessions set base_commit = 'abc' where id = $1`, [run.sessionId]);
    const host = activitiesOn({
      listManaged: () =>
        Promise.resolve([{ runId: run.sessionId, handle: { runtime: 'broken', external_id: 'x', attrs: {} } }]),
      terminate: () => Promise.reject(new SandgateError('unavailable', 'its processes do not end')),
    });
    await expect(attempt(1, () => host.stopSandbox(run, 0))).rejects.toThrow('do not end');
    await attempt(6, () => host.stopSandbox(run, 0));
    await attempt(1, () => host.collectArtifacts(run));
    const missing = (await readLedger(test.db, run)).filter((event) => event.type === 'artifact.missing');
    expect(missing.map((event) => event.data['reason'])).toEqual(['runner_still_live']);
  });
});
