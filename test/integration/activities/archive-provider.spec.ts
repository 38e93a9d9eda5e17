import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import { SandgateError } from '../../../src/domain/errors.js';
import { readFinalizationRequest } from '../../../src/core/finalization/finalization-requests.js';
import { planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { LocalRunHost } from '../../../src/platform/sandbox/local-run-host.js';
import type { SandboxHandle, SandboxSpec } from '../../../src/platform/sandbox/provider.js';
import { FolderWorkspaces, type RemoteAccess } from '../../../src/platform/workspace/index.js';
import { runInit } from '../../support/archives/workspace-init.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, type GatedRunOptions } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { plainConfine } from '../../support/sandbox/plain-confine.js';
import { PlainHost } from '../../support/sandbox/plain-host.js';

const MIB = 1024 * 1024;
const LIMITS = {
  globalMaxActive: null,
  tenantMaxActive: null,
  maxConcurrentProvisions: 2,
  maxStartsPerSec: 1000,
  launchMaxAttempts: 3,
  launchRequeueBackoffSecs: 5,
};
const RUNNER = 'echo passed >&4; exec 3<&- 4>&-; while :; do sleep 0.05; done';

/** Its sandboxes are elsewhere, as far as files go: each fetches its workspace before its runner starts. */
class RemoteHost extends PlainHost {
  readonly transport = 'archive';
  url = '';
  readonly elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'sg-elsewhere-')));

  override async provision(spec: SandboxSpec): Promise<SandboxHandle> {
    const { archive, runId } = spec;
    if (archive === undefined) throw new SandgateError('sandbox_failed', 'there is no archive');
    const places = this.placesOf(runId);
    for (const place of Object.values(places)) mkdirSync(place, { recursive: true });
    const { code, said } = await runInit({ ...archive, url: this.url }, places);
    if (code !== 0) throw new SandgateError('sandbox_failed', said);
    return super.provision(spec);
  }

  placesOf(runId: string): { workspace: string; collector: string } {
    const of = (name: string): string => join(this.elsewhere, runId, name);
    return { workspace: of('workspace'), collector: of('collector') };
  }
}

describe('a run on a host whose sandboxes share no files with it', () => {
  let test: TestDatabase;
  let plane: PlaneApp;
  let dataDir: string;
  let provider: RemoteHost;
  let workspaces: FolderWorkspaces;
  let project: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'sg-remote-')));
    project = realpathSync(mkdtempSync(join(tmpdir(), 'sg-remote-sources-')));
    writeFileSync(join(project, 'main.js'), 'one\n');
    provider = new RemoteHost({
      dataDir,
      runner: ['/bin/sh', '-c', RUNNER],
      planeOf: (runId) => planeDirectory(dataDir, runId),
    });
    const roots = [project];
    workspaces = new FolderWorkspaces({ dataDir, folders: provider, confine: plainConfine, roots, fetchUid: -1 });
    plane = await startPlane(test, {}, { dataDir });
    provider.url = `${plane.url}/internal/workspace`;
  });

  afterAll(async () => {
    for (const run of await provider.listRemains()) await provider.release(run);
    await plane.close();
    for (const folder of [planeRoot(dataDir), dataDir, project, provider.elsewhere])
      rmSync(folder, { recursive: true, force: true });
    await test.close();
  });

  async function launch(more: GatedRunOptions = {}, maxArchiveBytes = MIB) {
    const steps = createSandboxHostActivities({
      ...{ database: test.db, provider, workspaces, runHost: new LocalRunHost(dataDir) },
      accessOf: () => ({}) as RemoteAccess,
      tokenTtlSecs: 60,
      limits: LIMITS,
      log: { warn: () => undefined },
      maxArchiveBytes,
      collectTimeoutMs: 60_000,
      awayMs: 60_000,
    });
    const workspace = { kind: 'local_copy', path: project } as const;
    const run = await createGatedRun(test.db, { status: 'provisioning', workspace, ...more });
    const perform = <T>(step: () => Promise<T>): Promise<T> =>
      new MockActivityEnvironment({ attempt: 1, heartbeatTimeoutMs: 2000 }).run(step);
    const { launched } = await perform(() => steps.launchSandbox(run));
    return { run, launched, release: () => perform(() => steps.releaseSandbox(run)) };
  }
  const reasonOf = async (run: FixtureRun): Promise<string | null | undefined> =>
    (await test.db.withTenant(run.organizationId, (tx) => readFinalizationRequest(tx, run.runId)))?.reason;
  const archives = (): string[] => readdirSync(join(dataDir, 'archives'));

  it('has its workspace there before its runner starts, and nothing of it lies here when it is over', async () => {
    const { run, launched, release } = await launch();
    expect(launched).toBe(true);
    const { workspace, collector } = provider.placesOf(run.runId);
    expect(readFileSync(join(workspace, 'main.js'), 'utf8')).toBe('one\n');
    expect([existsSync(join(workspace, '.git/HEAD')), readdirSync(collector)]).toEqual([true, ['baseline-git']]);
    expect(archives()).toEqual([`${run.runId}.tar.gz`]);
    await release();
    expect(archives()).toEqual([]);
  });

  it('fails before its sandbox when the archive becomes larger than it may', async () => {
    const { run, launched } = await launch({}, 100);
    expect([launched, await reasonOf(run)]).toEqual([false, 'the archive has more than 100 bytes']);
    expect(existsSync(provider.placesOf(run.runId).workspace)).toBe(false);
  });

  it('is not prepared by commands, whose work would be lost with their sandbox', async () => {
    const { run, launched } = await launch({ setup: { commands: ['make'], timeout_secs: 60, cache: true } });
    expect([launched, await reasonOf(run)]).toEqual([
      false,
      'the sandboxes of this host share no files with it, so no commands can prepare a workspace for them',
    ]);
  });
});
