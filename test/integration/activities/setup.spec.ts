import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import type { SandboxHostActivities } from '../../../src/activities/run-activities.js';
import { readFinalizationRequest } from '../../../src/core/finalization/finalization-requests.js';
import { readRunView } from '../../../src/core/runs/run-view.js';
import { planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { LocalRunHost } from '../../../src/platform/sandbox/local-run-host.js';
import type { SandboxSpec } from '../../../src/platform/sandbox/provider.js';
import { FolderWorkspaces, type RemoteAccess } from '../../../src/platform/workspace/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger } from '../../support/gate/gated-run.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { plainConfine } from '../../support/sandbox/plain-confine.js';
import { PlainHost } from '../../support/sandbox/plain-host.js';
import { until, untilHolds } from '../../support/time/until.js';

const LIMITS = {
  globalMaxActive: null,
  tenantMaxActive: null,
  maxConcurrentProvisions: 1,
  maxStartsPerSec: 1000,
  launchMaxAttempts: 3,
  launchRequeueBackoffSecs: 5,
};
const NO_REMOTE: RemoteAccess = {
  route: (url) => Promise.reject(new Error(`nobody may dial ${url.host}`)),
  authorization: () => Promise.resolve(null),
  authorities: () => null,
};
/**
 * In place of the runner: a setup leaves with the code in `code`, and a process behind; an agent waits for its end. What it writes is
 * there whole or not at all, and `code` counts once it has content: a file is there before what is written to it.
 */
const RUNNER = `hand_off=$(cat <&3); echo passed >&4; exec 3<&- 4>&-
keep() { echo "$hand_off" > "$1.new"; mv "$1.new" "$1"; }
case $hand_off in
  *SERVICE_SETUP*) keep setup.json; echo prepared; sleep 300 & while ! [ -s code ]; do sleep 0.02; done; exit "$(cat code)" ;;
  *) keep agent.json; while :; do sleep 0.05; done ;;
esac`;
const SETUP = { commands: ['npm ci', 'make'], timeout_secs: 60, cache: true };

interface HandOff {
  variables: Record<string, string>;
  tokens: Record<string, string>;
}

describe('the setup of a run, between its workspace and its agent', () => {
  let test: TestDatabase;
  let dataDir: string;
  let provider: PlainHost;
  let steps: SandboxHostActivities;
  const provisioned: SandboxSpec[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'sg-setup-')));
    provider = new PlainHost({
      dataDir,
      runner: ['/bin/sh', '-c', RUNNER],
      planeOf: (runId) => planeDirectory(dataDir, runId),
    });
    const provision = provider.provision.bind(provider);
    provider.provision = async (spec) => {
      expect(await provider.listManaged()).not.toContainEqual(expect.objectContaining({ runId: spec.runId }));
      provisioned.push(spec);
      return provision(spec);
    };
    const runHost = new LocalRunHost(dataDir);
    runHost.awaitPlane = () => Promise.resolve();
    const workspaces = new FolderWorkspaces({
      ...{ dataDir, folders: provider, confine: plainConfine, roots: [], fetchUid: -1 },
    });
    steps = createSandboxHostActivities({
      ...{ database: test.db, provider, workspaces, runHost },
      accessOf: () => NO_REMOTE,
      tokenTtlSecs: 60,
      limits: LIMITS,
      log: { warn: () => undefined },
      maxArchiveBytes: 1024 * 1024,
      collectTimeoutMs: 60_000,
      awayMs: 60_000,
    });
  });

  afterAll(async () => {
    for (const run of await provider.listRemains()) await provider.release(run);
    for (const folder of [planeRoot(dataDir), dataDir]) rmSync(folder, { recursive: true, force: true });
    await test.close();
  });

  const launch = (
    run: FixtureRun,
    environment = new MockActivityEnvironment({ attempt: 1, heartbeatTimeoutMs: 2000 }),
  ) => environment.run(() => steps.launchSandbox(run));
  const file = (run: FixtureRun, name: string) => join(provider.workspaceFolder(run.runId), name);
  const handOff = (run: FixtureRun, name: 'setup' | 'agent') =>
    JSON.parse(readFileSync(file(run, `${name}.json`), 'utf8')) as HandOff;
  const hasBegun = (run: FixtureRun) => untilHolds(() => existsSync(file(run, 'setup.json')));
  const leaveWith = async (run: FixtureRun, code: number) => {
    await hasBegun(run);
    writeFileSync(file(run, 'code'), String(code));
  };
  const phasesOf = (run: FixtureRun) =>
    provisioned.filter((spec) => spec.runId === run.runId).map((spec) => spec.phase);
  const isLive = async (run: FixtureRun) => (await provider.listManaged()).some(({ runId }) => runId === run.runId);
  const createRun = (more: object = {}) => createGatedRun(test.db, { status: 'provisioning', setup: SETUP, ...more });
  const tell = (run: FixtureRun, reason: string) =>
    test.db.withTenant(run.organizationId, (tx) =>
      tx.append(run.runId, [{ actor: 'harness', type: 'setup.finished', data: { ok: false, duration_ms: 5, reason } }]),
    );
  const outcomeOf = (run: FixtureRun) =>
    test.db.withTenant(run.organizationId, (tx) => readFinalizationRequest(tx, run.runId));

  it('has a sandbox of its own without a model token, dead before the agent has one, whose tokens are others', async () => {
    const run = await createRun();
    const launched = launch(run);
    await leaveWith(run, 0);
    expect(await launched).toEqual({ launched: true });
    expect(phasesOf(run)).toEqual(['setup', 'agent']);
    await untilHolds(() => existsSync(file(run, 'agent.json')));
    const [setup, agent] = [handOff(run, 'setup'), handOff(run, 'agent')];
    expect(JSON.parse(setup.variables['SERVICE_SETUP'] ?? '')).toEqual({
      commands: ['npm ci', 'make'],
      timeout_secs: 60,
    });
    expect(Object.keys(setup.tokens)).toEqual(['control', 'tool']);
    expect(agent.variables).not.toHaveProperty('SERVICE_SETUP');
    expect(Object.values(agent.tokens)).toHaveLength(3);
    expect(Object.values(agent.tokens)).not.toEqual(expect.arrayContaining([setup.tokens['tool']]));
    const { rows } = await test.owner.query<{ name: string; content: Buffer }>(
      'select name, content from artifacts where session_id = $1',
      [run.runId],
    );
    expect(rows.map((row) => [row.name, String(row.content)])).toEqual([['setup.log', 'prepared\n']]);
    await provider.release(run.runId);
  });

  it.each([
    [
      6,
      'command 1 of 2 (npm ci) ended with exit code 1',
      'setup failed: command 1 of 2 (npm ci) ended with exit code 1',
    ],
    [7, 'command 2 of 2 (make) was under way', 'setup failed: command 2 of 2 (make) was under way'],
    [139, 'anything', 'setup failed: the runner ended with exit code 139'],
  ])('that ends with code %s fails the run before its agent, in words', async (code, told, reason) => {
    const run = await createRun();
    const launched = launch(run);
    await tell(run, told);
    await leaveWith(run, code);
    expect(await launched).toEqual({ launched: false });
    expect(await outcomeOf(run)).toMatchObject({ outcome: 'failed', reason });
    expect(phasesOf(run)).toEqual(['setup']);
    expect(await isLive(run)).toBe(false);
  });

  it('what its runner tells of success does not count, its exit does', async () => {
    const run = await createRun();
    const launched = launch(run);
    await test.db.withTenant(run.organizationId, (tx) =>
      tx.append(run.runId, [{ actor: 'harness', type: 'setup.finished', data: { ok: true, duration_ms: 1 } }]),
    );
    await leaveWith(run, 6);
    await launched;
    expect(await outcomeOf(run)).toMatchObject({ reason: 'setup failed: the runner ended with exit code 6' });
  });

  it('is ended when the launch is cancelled', async () => {
    const run = await createRun();
    const environment = new MockActivityEnvironment({ attempt: 1, heartbeatTimeoutMs: 2000 });
    const launched = launch(run, environment);
    await hasBegun(run);
    environment.cancel();
    await expect(launched).rejects.toThrow();
    expect(await isLive(run)).toBe(false);
    expect(await outcomeOf(run)).toBeNull();
  });

  it('holds up no other launch, however few may go on at once', async () => {
    const [slow, other] = [await createRun(), await createGatedRun(test.db, { status: 'provisioning' })];
    const launched = launch(slow);
    await hasBegun(slow);
    expect(await launch(other)).toEqual({ launched: true });
    await leaveWith(slow, 0);
    expect(await launched).toEqual({ launched: true });
  });

  it('that a dead worker left behind is ended and begins anew', async () => {
    const run = await createRun();
    await provider.reserve(run.runId);
    const left = await provider.provision({
      ...{ runId: run.runId, phase: 'setup', harness: 'builtin' },
      sizes: { memory_mb: 64, cpus: 1, disk_mb: 64, pids: 64 },
      variables: { SERVICE_SETUP: '{}' },
      tokens: { control: 'dead', tool: 'dead' },
    });
    await hasBegun(run);
    const launched = launch(run);
    const { phase } = await until(
      () => provider.state(left),
      (state) => state.phase === 'terminated',
    );
    expect(phase).toBe('terminated');
    // The second sandbox is made once the folder of the first is gone, with what that left.
    await untilHolds(() => phasesOf(run).length === 2);
    await leaveWith(run, 0);
    expect(await launched).toEqual({ launched: true });
    expect(handOff(run, 'setup').tokens['tool']).not.toBe('dead');
  });

  it('CP-318 is left out for a run that may only read, and the record says so', async () => {
    const run = await createRun({ trustTier: 'read_only' });
    expect(await launch(run)).toEqual({ launched: true });
    expect(phasesOf(run)).toEqual(['agent']);
    const skipped = (await readLedger(test.db, run)).filter((event) => event.type === 'setup.skipped');
    expect(skipped.map((event) => event.data['reason'])).toEqual([
      'the run may only read, so no command prepares its workspace',
    ]);
  });

  it('puts the deadline of its launch off by its own time, and by the time that people take', async () => {
    const view = async (run: FixtureRun) =>
      test.db.withTenant(run.organizationId, (tx) =>
        readRunView(tx, run.runId, { launchLimitSecs: 100, queueTtlSecs: 100 }),
      );
    const plain = await createGatedRun(test.db, { status: 'initializing' });
    const run = await createGatedRun(test.db, { status: 'initializing', setup: { ...SETUP, timeout_secs: 50 } });
    const secs = async (of: FixtureRun) => Math.round((await view(of))?.ms_until_launch_deadline ?? 0) / 1000;
    expect(await view(plain)).toMatchObject({ sets_up: false });
    expect(await view(run)).toMatchObject({ sets_up: true });
    expect(await secs(plain)).toBeGreaterThan(80);
    expect(await secs(plain)).toBeLessThanOrEqual(100);
    expect(await secs(run)).toBeGreaterThan(130);
    expect(await secs(run)).toBeLessThanOrEqual(150);
    await test.owner.query(`update sessions set created_at = created_at - interval '500 s' where id = $1`, [run.runId]);
    await test.owner.query(
      `insert into approvals (id, tenant_id, session_id, tool_call_id, tool, summary, input_digest, status, requested_at,
                              decided_at)
       values (gen_random_uuid(), $1, $2, 'setup_001', 'Bash', 'npm ci', 'sha256:0', 'approved_once',
               clock_timestamp() - interval '450 s', clock_timestamp())`,
      [run.organizationId, run.runId],
    );
    expect(await secs(run)).toBeGreaterThan(70);
    expect(await secs(run)).toBeLessThanOrEqual(100);
  });
});
