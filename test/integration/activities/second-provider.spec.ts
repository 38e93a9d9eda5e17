import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import type { SandboxHostActivities } from '../../../src/activities/run-activities.js';
import { createSandboxWatchActivities } from '../../../src/activities/sandbox-watch.activities.js';
import { planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { LocalRunHost } from '../../../src/platform/sandbox/local-run-host.js';
import { FolderWorkspaces, type RemoteAccess } from '../../../src/platform/workspace/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { plainConfine } from '../../support/sandbox/plain-confine.js';
import { PlainHost } from '../../support/sandbox/plain-host.js';
import { untilHolds } from '../../support/time/until.js';

const LIMITS = {
  globalMaxActive: null,
  tenantMaxActive: null,
  maxConcurrentProvisions: 2,
  maxStartsPerSec: 1000,
  launchMaxAttempts: 3,
  launchRequeueBackoffSecs: 5,
};
/** Nothing is fetched here. */
const NO_REMOTE: RemoteAccess = {
  route: (url) => Promise.reject(new Error(`nobody may dial ${url.host}`)),
  authorization: () => Promise.resolve(null),
  authorities: () => null,
};
/** In place of the runner: passes the self-check, does its work, and waits for its end or a line that tells it to go. */
const RUNNER =
  'echo passed >&4; exec 3<&- 4>&-; echo made > made; echo working; while ! [ -e leave ]; do sleep 0.02; done; exit 3';

/** The steps of a host know nothing of the provider but its ports. */
describe('a run on a host with another provider', () => {
  let test: TestDatabase;
  let dataDir: string;
  let provider: PlainHost;
  let workspaces: FolderWorkspaces;
  let runHost: LocalRunHost;
  let steps: SandboxHostActivities;

  beforeAll(async () => {
    test = await createTestDatabase();
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'sg-second-')));
    provider = new PlainHost({
      dataDir,
      runner: ['/bin/sh', '-c', RUNNER],
      planeOf: (runId) => planeDirectory(dataDir, runId),
    });
    workspaces = new FolderWorkspaces({ dataDir, folders: provider, confine: plainConfine, roots: [], fetchUid: -1 });
    runHost = new LocalRunHost(dataDir);
    // No API process serves planes here, and no program asks for one.
    runHost.awaitPlane = () => Promise.resolve();
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

  const perform = <T>(step: () => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({ attempt: 1, heartbeatTimeoutMs: 2000 }).run(step);

  it('is launched, stopped, collected and released', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    expect(await perform(() => steps.launchSandbox(run))).toEqual({ launched: true });
    const { rows } = await test.owner.query<{ status: string; handle: { runtime: string } }>(
      'select status, sandbox_handle as handle from sessions where id = $1',
      [run.runId],
    );
    expect(rows).toMatchObject([{ status: 'running', handle: { runtime: 'plain' } }]);
    expect((await provider.listManaged()).map((one) => one.runId)).toEqual([run.runId]);
    const made = join(provider.workspaceFolder(run.runId), 'made');
    await untilHolds(() => existsSync(made) && readFileSync(made, 'utf8') === 'made\n');
    expect(await workspaces.measureFiles(run.runId, ['made', 'absent'])).toMatchObject([{ path: 'made', size: 5 }]);

    await perform(() => steps.stopSandbox(run, 0));
    expect(await provider.listManaged()).toEqual([]);
    await perform(() => steps.collectArtifacts(run));
    const artifacts = await test.owner.query<{ kind: string; content: Buffer }>(
      'select kind, content from artifacts where session_id = $1 order by kind',
      [run.runId],
    );
    expect(artifacts.rows.map((row) => row.kind)).toEqual(['diff', 'log']);
    expect(String(artifacts.rows[0]?.content)).toContain('+++ b/made\n@@ -0,0 +1 @@\n+made\n');
    expect(String(artifacts.rows[1]?.content)).toBe('working\n');

    await perform(() => steps.releaseSandbox(run));
    expect([await provider.listRemains(), await workspaces.listKept(), await runHost.listPlanes()]).toEqual([
      [],
      [],
      [],
    ]);
  });

  it('is supervised to its end, which fails it with the last words of its runner', async () => {
    const run = await createGatedRun(test.db, { status: 'provisioning' });
    await perform(() => steps.launchSandbox(run));
    const watch = createSandboxWatchActivities({ database: test.db, provider });
    const ended = perform(() => watch.superviseSandbox(run));
    writeFileSync(join(provider.workspaceFolder(run.runId), 'leave'), '');
    expect(await ended).toEqual({ exitCode: 3 });
    const { rows } = await test.owner.query<{ reason: string }>(
      `select payload -> 'data' ->> 'message' as reason from events where session_id = $1 and type = 'run.error'`,
      [run.runId],
    );
    expect(rows[0]?.reason).toMatch(/the runner ended with exit code 3\nworking$/);
  });
});
