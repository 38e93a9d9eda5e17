import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderWorkspaces, type RemoteAccess, type WorkspaceArchive } from '../../../src/platform/workspace/index.js';
import { rawArchive, type RawTarEntry } from '../../support/archives/raw-tar.js';
import { runInit, type InitEnd } from '../../support/archives/workspace-init.js';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.js';
import { createGatedRun } from '../../support/gate/gated-run.js';
import { startPlane, type PlaneApp } from '../../support/plane/plane-app.js';
import type { FixtureRun } from '../../support/runs/run-fixture.js';
import { plainConfine } from '../../support/sandbox/plain-confine.js';
import { PlainHost } from '../../support/sandbox/plain-host.js';

const MIB = 1024 * 1024;
const SIZES = { memory_mb: 256, cpus: 1, disk_mb: 64, pids: 64 };

let database: TestDatabase;
let plane: PlaneApp;
let root: string;
let dataDir: string;
let project: string;
let workspaces: FolderWorkspaces;
let places: { workspace: string; collector: string };
beforeAll(async () => {
  database = await createTestDatabase();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sg-archive-')));
  dataDir = join(root, 'data');
  project = join(root, 'project');
  mkdirSync(join(project, 'src/deep'), { recursive: true });
  mkdirSync(join(project, 'empty'));
  writeFileSync(join(project, 'src/deep/größe.txt'), 'ä\r\n');
  writeFileSync(join(project, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(project, '.env'), 'SECRET=1\n');
  symlinkSync('src/deep', join(project, 'link'));
  const folders = new PlainHost({ dataDir, runner: [], planeOf: () => '' });
  workspaces = new FolderWorkspaces({ dataDir, folders, confine: plainConfine, roots: [root], fetchUid: -1 });
  plane = await startPlane(database, {}, { dataDir });
});
afterAll(async () => {
  await plane.close();
  await database.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  const sandbox = mkdtempSync(join(root, 'sandbox-'));
  places = { workspace: join(sandbox, 'workspace'), collector: join(sandbox, 'collector') };
  for (const place of Object.values(places)) mkdirSync(place);
});

interface Packed extends WorkspaceArchive {
  run: FixtureRun;
  baseCommit: string;
}

async function packed(): Promise<Packed> {
  const run = await createGatedRun(database.db);
  const { runId } = run;
  mkdirSync(join(dataDir, 'runs', runId, 'workspace'), { recursive: true });
  const spec = { kind: 'local_copy', path: project } as const;
  const { baseCommit } = await workspaces.fill({ runId, spec, sizes: SIZES, remote: {} as RemoteAccess });
  return { run, baseCommit, ...(await workspaces.pack(runId, MIB)) };
}

const ask = (run: FixtureRun, { token = run.tokens.workspace, path = '/internal/workspace' } = {}): Promise<Response> =>
  fetch(`${plane.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const partials = (): string[] => readdirSync(join(dataDir, 'archives')).filter((name) => name.endsWith('.partial'));

describe('the packed workspace of a run', () => {
  it('CP-273 is sent as exactly the bytes that were packed, any number of times', async () => {
    const { run, digest, bytes } = await packed();
    for (const path of ['/internal/workspace', `/internal/sessions/${run.runId}/workspace`]) {
      const response = await ask(run, { path });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/gzip']);
      expect(response.headers.get('content-length')).toBe(String(bytes));
      const body = Buffer.from(await response.arrayBuffer());
      expect([body.length, digestOf(body)]).toEqual([bytes, digest]);
    }
    expect(partials()).toEqual([]);
    expect(lstatSync(join(dataDir, 'archives', `${run.runId}.tar.gz`)).mode & 0o777).toBe(0o600);
  });

  it('CP-277 is for the token of its audience, and of its run', async () => {
    const [mine, other] = [await packed(), await createGatedRun(database.db)];
    for (const audience of ['tool', 'control', 'llm'] as const)
      expect((await ask(mine.run, { token: mine.run.tokens[audience] })).status).toBe(403);
    // The token says whose it is, the path does not.
    expect((await ask(other, { path: `/internal/sessions/${mine.run.runId}/workspace` })).status).toBe(404);
  });

  it('is refused to a run that is over, unknown where there is none, and 502 where it cannot be read', async () => {
    const over = await createGatedRun(database.db, { status: 'cancelling' });
    const answer = await ask(over);
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'session is not active' }]);
    const { run } = await packed();
    await workspaces.forget(run.runId);
    expect((await ask(run)).status).toBe(404);
    for (const disturb of [(path: string) => mkdirSync(path), (path: string) => symlinkSync('/etc/passwd', path)]) {
      const unreadable = await createGatedRun(database.db);
      disturb(join(dataDir, 'archives', `${unreadable.runId}.tar.gz`));
      expect((await ask(unreadable)).status).toBe(502);
    }
  });

  it('is not made when it becomes larger than it may, and leaves nothing behind', async () => {
    const { run } = await packed();
    await expect(workspaces.pack(run.runId, 100)).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(partials()).toEqual([]);
  });
});

describe('a sandbox that shares no files with the control plane', () => {
  const bring = (archive: WorkspaceArchive & { run: FixtureRun }): Promise<InitEnd> =>
    runInit({ ...archive, url: `${plane.url}/internal/workspace`, token: archive.run.tokens.workspace }, places);
  const git = (...argv: string[]): string => execFileSync('git', argv, { encoding: 'utf8' }).trim();

  it('has the workspace with its repository, and what it started from', async () => {
    const archive = await packed();
    mkdirSync(join(places.workspace, 'of an earlier attempt'));
    writeFileSync(join(places.collector, 'workspace.tar.gz'), 'half');
    expect(await bring(archive)).toEqual({ code: 0, said: '' });
    const { workspace, collector } = places;
    expect(readdirSync(workspace).toSorted()).toEqual(['.git', 'empty', 'link', 'run.sh', 'src']);
    expect(readFileSync(join(workspace, 'src/deep/größe.txt'), 'utf8')).toBe('ä\r\n');
    expect(readlinkSync(join(workspace, 'link'))).toBe('src/deep');
    expect(lstatSync(join(workspace, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(git('-C', workspace, 'status', '--porcelain')).toBe('');
    expect(git('-C', workspace, 'rev-parse', 'HEAD')).toBe(archive.baseCommit);
    expect(readdirSync(collector)).toEqual(['baseline-git']);
    expect(git('--git-dir', join(collector, 'baseline-git'), 'rev-parse', 'HEAD')).toBe(archive.baseCommit);
  });

  it.each([
    ['has another digest', { digest: `sha256:${'0'.repeat(64)}` }, /what came has another digest/],
    ['is longer', { bytes: 10 }, /more than 10 bytes came/],
    ['is shorter', { bytes: MIB }, /\d+ bytes came instead of 1048576/],
  ])('unpacks nothing that %s', async (_what, lie, words) => {
    const end = await bring({ ...(await packed()), ...lie });
    expect(end).toEqual({ code: 1, said: expect.stringMatching(words) as unknown });
    expect(readdirSync(places.workspace)).toEqual([]);
    expect(readdirSync(places.collector)).not.toContain('baseline-git');
  });

  it('says what the control plane answered, and not its token', async () => {
    const archive = await packed();
    await workspaces.forget(archive.run.runId);
    const end = await bring(archive);
    expect(end).toEqual({
      code: 1,
      said: expect.stringContaining('404 {"error":"this run has no workspace archive"}'),
    });
    expect(end.said).not.toContain(archive.run.tokens.workspace);
  });

  it('takes no link for its workspace', async () => {
    rmSync(places.workspace, { recursive: true });
    symlinkSync(project, places.workspace);
    expect(await bring(await packed())).toEqual({ code: 1, said: expect.stringContaining('is no folder') as unknown });
    expect(readdirSync(project)).toContain('run.sh');
  });
});

describe('an archive that is not what this deployment packs', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.close();
  });

  const bring = async (entries: RawTarEntry[]): Promise<InitEnd> => {
    const archive = rawArchive(entries);
    server = createServer((_request, response) => response.end(archive)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/internal/workspace`;
    return runInit({ url, token: 't', digest: digestOf(archive), bytes: archive.length }, places);
  };

  it.each<[string, RawTarEntry, string]>([
    ['an absolute path', { name: '/etc/x', content: 'x' }, '"/etc/x" is an absolute path'],
    ['a path that leads out', { name: 'repo/../../x', content: 'x' }, 'leads out of its folder'],
    ['a hard link', { name: 'repo/x', type: '1', link: '/etc/passwd' }, 'is a hard link'],
    ['a device', { name: 'repo/x', type: '3' }, 'is neither a file, a folder nor a link'],
    ['another part', { name: 'other/x', content: 'x' }, '"other" belongs to no part of a workspace'],
    ['a part that is a file', { name: 'repo', content: 'x' }, '"repo" is no folder'],
    ['a part that is a link', { name: 'repo', type: '2', link: 'baseline-git' }, '"repo" is no folder'],
  ])('is refused with its entry: %s', async (_what, entry, words) => {
    expect(await bring([entry])).toEqual({ code: 1, said: expect.stringContaining(words) as unknown });
  });

  it('loses the links that leave their part, whatever they are led through', async () => {
    const end = await bring([
      { name: 'repo/inside', type: '2', link: 'a/b' },
      { name: 'repo/absolute', type: '2', link: '/etc/passwd' },
      { name: 'repo/over', type: '2', link: '../baseline-git/HEAD' },
      { name: 'repo/step', type: '2', link: 'through/../..' },
      { name: 'repo/through', type: '2', link: '..' },
      { name: 'baseline-git/HEAD', content: 'ref: refs/heads/x\n' },
    ]);
    expect(end).toEqual({ code: 0, said: '' });
    expect(readdirSync(places.workspace)).toEqual(['inside']);
  });
});
