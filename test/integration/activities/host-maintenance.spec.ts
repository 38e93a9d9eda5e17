import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { planeDirectory, planeRoot } from '../../../src/platform/host/plane-socket-path.js';
import { reapHostOrphans } from '../../../src/activities/host-maintenance.activities.js';
import { LocalRunHost } from '../../../src/platform/sandbox/local-run-host.js';
import type { SandboxProvider } from '../../../src/platform/sandbox/provider.js';
import { FolderWorkspaces } from '../../../src/platform/workspace/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createRun } from '../../support/runs/run-fixture.js';

const ARCHIVE_TTL_SECS = 21_600;

describe('what a host still has of runs', () => {
  let test: TestDatabase;
  let dataDir: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'sg-host-'));
  });
  afterAll(async () => {
    for (const folder of [planeRoot(dataDir), dataDir]) rmSync(folder, { recursive: true, force: true });
    await test.close();
  });

  it('CP-140 loses the baselines, old archives and plane directories of runs that ended while it was away, and no others', async () => {
    const live = (await createRun(test.db, { status: 'running' })).runId;
    const over = (await createRun(test.db, { status: 'failed' })).runId;
    mkdirSync(join(dataDir, 'archives'));
    const fresh = uuidv7();
    for (const id of [live, over, uuidv7(), fresh]) {
      const archive = join(dataDir, 'archives', `${id}.tar.gz`);
      writeFileSync(archive, '');
      if (id !== fresh) utimesSync(archive, 0, Date.now() / 1000 - ARCHIVE_TTL_SECS - 5);
    }
    for (const id of [live, over, uuidv7()]) {
      mkdirSync(planeDirectory(dataDir, id), { recursive: true });
      mkdirSync(join(dataDir, 'baselines', `${id}.git`), { recursive: true });
      writeFileSync(join(dataDir, 'baselines', `${id}.git`, 'HEAD'), '');
      mkdirSync(join(dataDir, 'baselines', `${id}.git.work-x`));
    }
    // Somebody's folder, whose name the record cannot even be asked for, is left and stops nothing.
    const provider = { listRemains: () => Promise.resolve(['not-a-run']) } as SandboxProvider;
    const absent = (): never => {
      throw new Error('no sandbox is here');
    };
    const workspaces = new FolderWorkspaces({
      dataDir,
      folders: { workspaceFolder: absent, reopenWorkspace: absent, workspaceOwner: absent },
      confine: absent,
      roots: [],
      fetchUid: -1,
    });
    const runHost = new LocalRunHost(dataDir);
    const log = { warn: () => undefined };
    await reapHostOrphans({
      ...{ database: test.db, provider, workspaces, runHost, log },
      archiveTtlSecs: ARCHIVE_TTL_SECS,
    });
    expect(readdirSync(join(dataDir, 'archives')).toSorted()).toEqual(
      [live, fresh].map((id) => `${id}.tar.gz`).toSorted(),
    );
    expect(readdirSync(planeRoot(dataDir))).toEqual([live]);
    expect(readdirSync(join(dataDir, 'baselines'))).toEqual([`${live}.git`, `${live}.git.work-x`]);
  });
});
