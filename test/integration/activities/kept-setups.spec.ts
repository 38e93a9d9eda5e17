import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { createSandboxHostActivities } from '../../../src/activities/sandbox-host.activities.js';
import type { SandboxHostActivities } from '../../../src/activities/run-activities.js';
import { readFinalizationRequest } from '../../../src/core/finalization/finalization-requests.js';
import { planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { LocalRunHost } from '../../../src/platform/sandbox/local-run-host.js';
import type { Capture, KeptLayer, SetupLayers } from '../../../src/platform/sandbox/setup-layers.js';
import type { WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { FolderWorkspaces, type RemoteAccess } from '../../../src/platform/workspace/index.js';
import { UploadFiles } from '../../../src/platform/workspace/upload-files.js';
import { rawArchive } from '../../support/archives/raw-tar.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun, readLedger, type GatedRunOptions } from '../../support/gate/gated-run.js';
import { createOrganization, type FixtureOrganization, type FixtureRun } from '../../support/runs/run-fixture.js';
import { plainConfine } from '../../support/sandbox/plain-confine.js';
import { PlainHost } from '../../support/sandbox/plain-host.js';

const LIMITS = {
  globalMaxActive: null,
  tenantMaxActive: null,
  maxConcurrentProvisions: 2,
  maxStartsPerSec: 1000,
  launchMaxAttempts: 3,
  launchRequeueBackoffSecs: 5,
};
/** In place of the runner: a setup leaves with the code that the repository holds, an agent waits for its end. */
const RUNNER = `hand_off=$(cat <&3); echo passed >&4; exec 3<&- 4>&-
case $hand_off in *SERVICE_SETUP*) exit "$(cat code)" ;; *) while :; do sleep 0.05; done ;; esac`;
const SETUP = { commands: ['make'], timeout_secs: 60, cache: true };
const DIGEST = `sha256:${'1'.repeat(64)}`;

/** A host that keeps images in memory, and can be told to fail. */
class MemoryLayers implements SetupLayers {
  readonly calls: string[] = [];
  readonly images = new Map<string, string>();
  capturing: () => Capture = () => ({ kept: true, contentDigest: DIGEST, bytes: 7, files: 3 });
  laying: () => boolean = () => true;

  environment(): Promise<string> {
    return Promise.resolve('a host');
  }

  async lay(_runId: string, { id, contentDigest }: KeptLayer): Promise<boolean> {
    this.calls.push('lay');
    await Promise.resolve();
    return this.laying() && this.images.get(id) === contentDigest;
  }

  watch(): Promise<void> {
    this.calls.push('watch');
    return Promise.resolve();
  }

  async capture(_runId: string, layerId: string): Promise<Capture> {
    this.calls.push('capture');
    await Promise.resolve();
    const capture = this.capturing();
    if (capture.kept) this.images.set(layerId, capture.contentDigest);
    return capture;
  }

  remove(layerId: string): Promise<void> {
    this.images.delete(layerId);
    return Promise.resolve();
  }

  list(): Promise<string[]> {
    return Promise.resolve([...this.images.keys()]);
  }

  listUsed(): Promise<string[]> {
    return Promise.resolve([]);
  }
}

describe('keeping the result of a setup', () => {
  let test: TestDatabase;
  let dataDir: string;
  let provider: PlainHost;
  let steps: SandboxHostActivities;
  let layers: MemoryLayers;
  let organization: FixtureOrganization;
  let repository: string;
  const warnings: string[] = [];

  beforeAll(async () => {
    test = await createTestDatabase();
    dataDir = realpathSync(mkdtempSync(join(tmpdir(), 'sg-kept-')));
    organization = await createOrganization(test.db);
  });

  beforeEach(() => {
    warnings.length = 0;
    layers = new MemoryLayers();
    repository = join(dataDir, 'sources', uuidv7());
    mkdirSync(repository, { recursive: true });
    writeFileSync(join(repository, 'Makefile'), 'all:\n');
    writeFileSync(join(repository, 'code'), '0');
    const planeOf = (runId: string) => planeDirectory(dataDir, runId);
    provider = new PlainHost({ dataDir, runner: ['/bin/sh', '-c', RUNNER], planeOf });
    const runHost = new LocalRunHost(dataDir);
    runHost.awaitPlane = () => Promise.resolve();
    const roots = [join(dataDir, 'sources')];
    const stateDir = join(dataDir, 'state');
    steps = createSandboxHostActivities({
      ...{ database: test.db, provider, runHost },
      workspaces: new FolderWorkspaces({
        ...{ dataDir: stateDir, folders: provider, confine: plainConfine, roots, fetchUid: -1 },
      }),
      accessOf: () => ({}) as RemoteAccess,
      tokenTtlSecs: 60,
      limits: LIMITS,
      log: { warn: (_fields, message) => warnings.push(message) },
      maxArchiveBytes: 1024 * 1024,
      collectTimeoutMs: 60_000,
      awayMs: 60_000,
      kept: { layers, hostId: uuidv7() },
    });
  });

  afterAll(async () => {
    for (const run of await provider.listRemains()) await provider.release(run);
    for (const folder of [planeRoot(dataDir), dataDir]) rmSync(folder, { recursive: true, force: true });
    await test.close();
  });

  async function play(more: GatedRunOptions = {}, launches = 1): Promise<FixtureRun> {
    const workspace = { kind: 'local_copy', path: repository } as const;
    const run = await createGatedRun(test.db, {
      in: organization,
      status: 'provisioning',
      setup: SETUP,
      workspace,
      ...more,
    });
    for (let attempt = 1; attempt <= launches; attempt += 1) {
      const environment = new MockActivityEnvironment({ attempt, heartbeatTimeoutMs: 2000 });
      const launched = environment.run(() => steps.launchSandbox(run));
      if (attempt < launches) await expect(launched).rejects.toThrow();
      else await launched;
    }
    return run;
  }
  const told = async (run: FixtureRun) =>
    (await readLedger(test.db, run))
      .filter(({ type }) => type.startsWith('setup.'))
      .map(({ type, data }) => ({ type, ...data }));
  const rows = async () =>
    (
      await test.owner.query<{ state: string }>('select state from setup_layers where tenant_id = $1', [
        organization.organizationId,
      ])
    ).rows;

  it('is done once, and the next run of the same is given it', async () => {
    const first = await play();
    expect(await told(first)).toEqual([{ type: 'setup.kept', kept: true, bytes: 7, files: 3 }]);
    const second = await play();
    expect(await told(second)).toMatchObject([{ type: 'setup.reused', made_by: first.runId }]);
    expect(layers.calls).toEqual(['watch', 'capture', 'lay']);
  });

  it('CP-318 a run that may only read neither reads nor writes it', async () => {
    await play();
    layers.calls.length = 0;
    expect(await told(await play({ trustTier: 'read_only' }))).toMatchObject([{ type: 'setup.skipped' }]);
    expect(layers.calls).toEqual([]);
  });

  it('files that a client sent neither read nor write it: nobody knows whether they are those of a commit', async () => {
    const id = uuidv7();
    const body = Readable.from([
      rawArchive([
        { name: 'Makefile', content: 'all:\n' },
        { name: 'code', content: '0' },
      ]),
    ]);
    const files = new UploadFiles(join(dataDir, 'state'));
    const { digest, packed: bytes } = await files.receive(id, body, { maxBytes: 1024 * 1024, stallMs: 5000 });
    const base_commit = '1'.repeat(40);
    const workspace: WorkspaceSpec = {
      kind: 'upload',
      id,
      digest,
      bytes,
      files: 2,
      left_out: 0,
      host: id,
      base_commit,
    };
    expect(await told(await play({ workspace }))).toEqual([]);
    expect(layers.calls).toEqual([]);
  });

  it('another organization is not given it', async () => {
    await play();
    expect(await told(await play({ in: await createOrganization(test.db) }))).toMatchObject([{ type: 'setup.kept' }]);
  });

  it('a setup that does not want to be kept is neither kept nor given anything', async () => {
    await play();
    layers.calls.length = 0;
    expect(await told(await play({ setup: { ...SETUP, cache: false } }))).toEqual([]);
    expect(layers.calls).toEqual([]);
  });

  it.each([
    ['what was made cannot be kept', { kept: false, reason: 'it has 900000 files' } as const, []],
    [
      'its image cannot be made',
      { kept: false, reason: 'its image could not be made', cause: new Error('disk full') } as const,
      ['the result of a setup could not be kept'],
    ],
  ])('the run goes on when %s, and the next one tries again', async (_what, capture, logged) => {
    layers.capturing = () => capture;
    const run = await play();
    expect(await told(run)).toEqual([{ type: 'setup.kept', kept: false, reason: capture.reason }]);
    expect(warnings).toEqual(logged);
    const status = await test.owner.query<{ status: string }>('select status from sessions where id = $1', [run.runId]);
    expect(status.rows[0]?.status).toBe('running');
    layers.capturing = () => ({ kept: true, contentDigest: DIGEST, bytes: 7, files: 3 });
    expect(await told(await play())).toMatchObject([{ type: 'setup.kept', kept: true }]);
  });

  it('a setup that fails keeps nothing, and leaves the key to the next one', async () => {
    writeFileSync(join(repository, 'code'), '1');
    const before = (await rows()).length;
    const run = await play();
    const request = await test.db.withTenant(run.organizationId, (tx) => readFinalizationRequest(tx, run.runId));
    expect(request).toMatchObject({ outcome: 'failed', reason: 'setup failed: the runner ended with exit code 1' });
    expect(layers.calls).toEqual(['watch']);
    expect(await rows()).toHaveLength(before);
  });

  it('an image that is not what was recorded is deleted, and the run is prepared anew', async () => {
    await play();
    for (const id of layers.images.keys()) layers.images.set(id, 'sha256:other');
    const broken = [...layers.images.keys()];
    expect(await told(await play())).toMatchObject([{ type: 'setup.kept', kept: true }]);
    expect(warnings).toEqual(['what was kept of a setup is not what it was, and is deleted']);
    expect(broken.filter((id) => layers.images.has(id))).toEqual([]);
  });

  it('one that cannot be mounted costs an attempt of the launch, and the next one begins without it', async () => {
    await play();
    layers.laying = () => {
      throw new Error('mount: wrong fs type');
    };
    expect(await told(await play({}, 2))).toMatchObject([{ type: 'setup.kept', kept: true }]);
    expect(layers.calls).toEqual(['watch', 'capture', 'lay', 'watch', 'capture']);
  });
});
