import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runConfined as confine } from '../../../src/platform/sandbox/bubblewrap/confined.js';
import { contentOf, git, Stage, FETCH_UID, UID } from './support.js';

jest.setTimeout(60_000);

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.remove());

function write(files: Record<string, string>, folder = stage.source): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function commitAll(folder = stage.source, ...add: string[]): void {
  git(folder, ['init', '-q']);
  git(folder, ['add', ...(add.length > 0 ? add : ['-A'])]);
  git(folder, ['commit', '-q', '-m', 'x']);
}

const copy = (include?: string[], path = stage.source) =>
  stage.prepare({ kind: 'local_copy', path, ...(include === undefined ? {} : { include }) });
const copied = () => Object.keys(contentOf(stage.workspaceDir)).sort();

describe('a local copy', () => {
  it('holds what git tracks and what is untracked but not ignored; the original stays untouched', async () => {
    write({
      'src/a.js': 'a',
      'build/out.js': 'tracked though ignored',
      '.gitignore': 'build/\n*.log\n!keep.log\n/only-top\n',
    });
    commitAll(stage.source, '-f', '.');
    write({
      'new.js': 'untracked',
      'build/other.js': 'ignored',
      'x.log': 'ignored',
      'keep.log': 'not ignored',
      'only-top': 'i',
      'sub/only-top': 'k',
    });
    write({ 'sub/.gitignore': '*.tmp\n', 'sub/a.tmp': 'ignored', 'node_modules/p/index.js': 'untracked, not ignored' });
    const before = execFileSync('ls', ['-lARi', '--time-style=full-iso', stage.source]).toString();
    const { files, leftOut } = await copy();
    expect(copied()).toEqual([
      '.gitignore',
      'build/out.js',
      'keep.log',
      'new.js',
      'node_modules/p/index.js',
      'src/a.js',
      'sub/.gitignore',
      'sub/only-top',
    ]);
    expect({ files, leftOut }).toEqual({ files: 8, leftOut: 0 });
    expect(execFileSync('ls', ['-lARi', '--time-style=full-iso', stage.source]).toString()).toBe(before);
    expect((await stage.collect()).patch.toString()).toBe('(no changes)');
  });

  it('include globs bring ignored files back', async () => {
    write({
      '.gitignore': 'dist/\n*.gen\nnode_modules\n',
      'dist/a/app.js': '1',
      'dist/b/other.js': '2',
      'x.gen': '3',
      'deep/y.gen': '4',
      'node_modules/p/i.js': '5',
    });
    await copy(['dist/a/**', '*.gen']);
    expect(copied()).toEqual(['.gitignore', 'deep/y.gen', 'dist/a/app.js', 'x.gen']);
    await copy(['/dist']);
    expect(copied()).toEqual(['.gitignore', 'dist/a/app.js', 'dist/b/other.js']);
  });

  it('secrets never come along, tracked or included or not, and are counted', async () => {
    write({
      'a.js': '',
      '.env': 's',
      '.env.local': 's',
      'conf/.envrc': 's',
      'server.pem': 's',
      id_rsa: 's',
      '.netrc': 's',
      'x/.npmrc': '//r/:_authToken=abc\n',
      'y/.npmrc': 'save-exact=true\n',
    });
    commitAll(stage.source, '-f', '.');
    symlinkSync('.env', join(stage.source, 'id_link'));
    const { files, leftOut } = await copy(['**', '.env*']);
    expect(copied()).toEqual(['a.js', 'y/.npmrc']);
    expect({ files, leftOut }).toEqual({ files: 2, leftOut: 8 });
  });

  it('links that stay inside are kept, links that leave are dropped and counted', async () => {
    write({ 'd/e/file': 'x' });
    const link = (target: string, path: string) => symlinkSync(target, join(stage.source, path));
    link('d/e/file', 'inside');
    link('e/../../inside', 'd/chain');
    link('nowhere/yet', 'dangling');
    link('/etc/passwd', 'absolute');
    link('../../outside', 'up');
    link('..', 'd/parent');
    link('d/parent/../x', 'through');
    link('loop', 'loop');
    link(`${stage.source}/d`, 'absolute-inside');
    const { leftOut } = await copy();
    expect(copied()).toEqual(['d/chain', 'd/e/file', 'd/parent', 'dangling', 'inside']);
    expect(leftOut).toBe(5);
  });

  it('what is no file is left out without waiting for it', async () => {
    write({ 'a.js': '' });
    execFileSync('mkfifo', [join(stage.source, 'pipe')]);
    expect(await copy()).toMatchObject({ files: 1, leftOut: 1 });
  });

  it('files that only their owner may read are copied and belong to the run', async () => {
    write({ 'private/secret-ish.txt': 'x', 'run.sh': '#!/bin/sh\n' });
    chmodSync(join(stage.source, 'private/secret-ish.txt'), 0o600);
    chmodSync(join(stage.source, 'private'), 0o700);
    chmodSync(join(stage.source, 'run.sh'), 0o4700);
    await copy();
    expect(stage.act('cat private/secret-ish.txt; git status --porcelain')).toBe('x');
    const run = statSync(join(stage.workspaceDir, 'run.sh'));
    expect(run.mode & 0o7777).toBe(0o755);
    if (UID !== null) expect(run.uid).toBe(UID);
  });

  it('nested repositories follow their own rules and keep their git folder to themselves', async () => {
    write({ 'a.js': '', 'lib/.gitignore': 'out\n', 'lib/out': 'ignored', 'lib/b.js': '', 'lib/tracked.out': 't' });
    commitAll(join(stage.source, 'lib'), '.gitignore', 'b.js', 'tracked.out');
    write({ 'lib/.gitignore': 'out\n*.out\n' });
    write({ '.gitignore': '*.js\n!a.js\n' });
    await copy();
    expect(copied()).toEqual(['.gitignore', 'a.js', 'lib/.gitignore', 'lib/b.js', 'lib/tracked.out']);
  });

  it('a folder inside a repository follows the rules of the repository', async () => {
    write({
      '.gitignore': 'dist\n/packages/a/secret-build\n',
      'packages/a/i.js': '',
      'packages/a/dist/x': '',
      'packages/a/kept/dist/t': 't',
    });
    commitAll(stage.source, '-f', '.gitignore', 'packages/a/i.js', 'packages/a/kept/dist/t');
    write({ 'packages/a/secret-build/x': '' });
    await copy(undefined, join(stage.source, 'packages/a'));
    expect(copied()).toEqual(['i.js', 'kept/dist/t']);
  });

  it('a repository whose configuration would run programs runs none', async () => {
    const witness = join(stage.base, 'roots', 'witness');
    write({ 'a.txt': 'a', '.gitattributes': '* filter=evil diff=evil\n' });
    commitAll();
    for (const key of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge', 'core.sshCommand', 'diff.external'])
      git(stage.source, ['config', key, `touch ${witness}`]);
    writeFileSync(join(stage.source, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    await copy();
    expect(existsSync(witness)).toBe(false);
    expect(copied()).toEqual(['.gitattributes', 'a.txt']);
    git(stage.source, ['add', '--renormalize', '.']);
    expect(existsSync(witness)).toBe(true);
  });

  it('an index that git cannot read is refused with its reason', async () => {
    write({ 'a.js': '' });
    commitAll();
    writeFileSync(join(stage.source, '.git/index'), 'garbage');
    await expect(copy()).rejects.toThrow(/^the index of .* cannot be read: /);
  });

  it('the state folder is never copied, and nothing inside it can be', async () => {
    write({ 'a.js': '' });
    const spec = { kind: 'local_copy', path: stage.base } as const;
    rmSync(stage.workspaceDir, { recursive: true });
    const workspaceDir = mkdtempSync(join(tmpdir(), 'elsewhere-'));
    if (UID !== null) chownSync(workspaceDir, UID, UID);
    const { materialize } = await import('../../../src/platform/workspace/index.js');
    const request = {
      confine,
      workspaceDir,
      baselineDir: stage.baselineDir,
      roots: [stage.base],
      remote: stage.remote,
      maxBytes: stage.maxBytes,
      uid: UID,
      fetchUid: FETCH_UID,
      stateDir: stage.stateDir,
    };
    expect((await materialize({ ...request, spec })).leftOut).toBe(1);
    expect(Object.keys(contentOf(workspaceDir))).toEqual(['roots/source/a.js']);
    await expect(
      materialize({ ...request, spec: { kind: 'local_copy', path: join(stage.stateDir, 'baselines') } }),
    ).rejects.toThrow('lies in the state folder');
    rmSync(workspaceDir, { recursive: true });
  });
});

describe('where a local copy may come from', () => {
  it('only from inside the allowed folders, whatever links and dots say', async () => {
    write({ 'a.js': '' });
    const outside = join(stage.base, 'roots-of-others');
    mkdirSync(outside);
    symlinkSync(outside, join(stage.source, 'way-out'));
    const refused = /is not inside a folder of SERVICE_LOCAL_COPY_ROOTS/;
    for (const path of [
      outside,
      join(stage.source, 'way-out'),
      `${stage.source}/../../roots-of-others`,
      '/',
      '/etc',
      stage.base,
    ]) {
      await expect(copy(undefined, path)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(refused) as unknown,
      });
    }
    symlinkSync(stage.source, join(outside, 'way-in'));
    await copy(undefined, join(outside, 'way-in'));
    expect(copied()).toEqual(['a.js']);
  });

  it('a root that is itself a link counts as the folder it leads to; none allows nothing', async () => {
    write({ 'a.js': '' });
    symlinkSync(join(stage.base, 'roots'), join(stage.base, 'alias'));
    const spec = { kind: 'local_copy', path: stage.source } as const;
    await stage.prepare(spec, [join(stage.base, 'alias'), '/no/such/root']);
    await expect(stage.prepare(spec, [])).rejects.toThrow('SERVICE_LOCAL_COPY_ROOTS allows no folder of the server');
    await expect(copy(undefined, join(stage.source, 'missing'))).rejects.toThrow(/is not a folder on this host/);
    await expect(copy(undefined, join(stage.source, 'a.js'))).rejects.toThrow(/is not a folder on this host/);
  });

  it('a git folder that a pointer places outside the allowed folders is not read', async () => {
    write({ '.git': `gitdir: ${join(stage.base, 'state')}\n`, 'a.js': '' });
    await expect(copy()).rejects.toThrow(/the git folder .* is not inside a folder of SERVICE_LOCAL_COPY_ROOTS/);
  });

  it('more than 200,000 files or 2 GiB are refused before they fill the disk', async () => {
    execFileSync('truncate', ['-s', '3G', join(stage.source, 'huge')]);
    await expect(copy()).rejects.toMatchObject({
      code: 'payload_too_large',
      message: expect.stringContaining('more than 2 GiB') as unknown,
    });
    expect(existsSync(join(stage.workspaceDir, 'huge'))).toBe(false);
  });

  it('a second attempt wipes what the first left', async () => {
    write({ 'a.js': 'new' });
    writeFileSync(join(stage.workspaceDir, 'stale'), 'x');
    mkdirSync(stage.baselineDir, { recursive: true });
    mkdirSync(`${stage.baselineDir}.work-abandoned`);
    await copy();
    expect(copied()).toEqual(['a.js']);
    expect(existsSync(`${stage.baselineDir}.work-abandoned`)).toBe(false);
    expect(readFileSync(join(stage.workspaceDir, 'a.js'), 'utf8')).toBe('new');
  });
});
