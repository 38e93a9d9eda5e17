import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceSpec } from '../../../src/domain/run/spec.js';
import { contentOf, git, Stage, UID } from './support.js';

jest.setTimeout(60_000);

let stage: Stage;
let first: string;
beforeEach(() => {
  stage = new Stage();
  git(stage.source, ['init', '-q']);
  first = commit({ 'a.txt': 'one\n', 'sub/b.txt': 'b\r\n' });
});
afterEach(() => stage.remove());

function commit(files: Record<string, string>): string {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(stage.source, path, '..'), { recursive: true });
    writeFileSync(join(stage.source, path), content);
  }
  git(stage.source, ['add', '-A']);
  git(stage.source, ['commit', '-q', '--allow-empty', '-m', 'x']);
  return git(stage.source, ['rev-parse', 'HEAD']).trim();
}

type Choice = Partial<Extract<WorkspaceSpec, { kind: 'git_repository' }>>;
const fetch = (choice: Choice = {}) =>
  stage.prepare({
    kind: 'git_repository',
    clone_url: `file://${stage.source}`,
    checkout_mode: 'writable_copy',
    ...choice,
  });
const branch = () => stage.act('git symbolic-ref --short HEAD').trim();

describe('a git repository on this host', () => {
  it('CP-073 ref selects what is checked out: a branch, a tag, HEAD when nothing is said', async () => {
    git(stage.source, ['tag', '-a', 'v1', '-m', 'tag']);
    git(stage.source, ['checkout', '-q', '-b', 'feature/x']);
    const second = commit({ 'a.txt': 'two\n' });
    git(stage.source, ['checkout', '-q', 'main']);
    expect(await fetch()).toEqual({ baseCommit: first, files: 2, leftOut: 0 });
    expect(branch()).toBe('service-work');
    expect((await fetch({ ref: 'feature/x' })).baseCommit).toBe(second);
    expect(branch()).toBe('feature/x');
    expect(contentOf(stage.workspaceDir)['a.txt']).toBe('file two\n');
    expect((await fetch({ ref: 'v1' })).baseCommit).toBe(first);
    expect((await fetch({ ref: 'refs/heads/main' })).baseCommit).toBe(first);
    expect(branch()).toBe('main');
    expect(stage.act('git remote; git status --porcelain')).toBe('');
    if (UID !== null) expect(statSync(join(stage.workspaceDir, 'a.txt')).uid).toBe(UID);
  });

  it('commit_sha pins a commit by 7 to 40 digits, also one that no branch starts at', async () => {
    const middle = commit({ 'a.txt': 'two\n' });
    commit({ 'a.txt': 'three\n' });
    expect((await fetch({ commit_sha: middle })).baseCommit).toBe(middle);
    expect((await fetch({ commit_sha: middle.slice(0, 7), ref: 'main' })).baseCommit).toBe(middle);
    expect(branch()).toBe('main');
    expect(contentOf(stage.workspaceDir)['a.txt']).toBe('file two\n');
    const tree = git(stage.source, ['rev-parse', 'HEAD^{tree}']).trim();
    await expect(fetch({ commit_sha: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(fetch({ commit_sha: tree })).rejects.toThrow(/commit_sha/);
  });

  it('CP-132 the diff is against the commit, shallow or not, and applies to the original', async () => {
    commit({ 'a.txt': 'two\n' });
    await fetch({ ref: 'main' });
    stage.act(
      'echo three >> a.txt; rm sub/b.txt; echo n > new; git add -A; git -c user.name=a -c user.email=a@a commit -qm mine',
    );
    const { patch } = await stage.collect();
    git(stage.source, ['apply', '--3way', '-'], patch);
    expect(contentOf(stage.source)).toEqual(contentOf(stage.workspaceDir));
  });

  it('attributes convert nothing, so that an untouched checkout has no changes', async () => {
    const witness = join(stage.base, 'roots', 'witness');
    // The test's own git would refuse to add such a file.
    writeFileSync(join(stage.source, '.git/info/attributes'), '* !text !working-tree-encoding !ident !filter\n');
    commit({
      '.gitattributes': '* text=auto eol=crlf ident filter=evil working-tree-encoding=UTF-16\n',
      'a.txt': 'x $Id$\n',
    });
    git(stage.source, ['config', 'filter.evil.smudge', `touch ${witness}`]);
    await fetch();
    expect(contentOf(stage.workspaceDir)['a.txt']).toBe('file x $Id$\n');
    expect(stage.act('git status --porcelain')).toBe('');
    expect((await stage.collect()).patch.toString()).toBe('(no changes)');
    expect(existsSync(witness)).toBe(false);
  });

  it('what the repository configures does not run: hooks, monitors, alternates, pack programs', async () => {
    const witness = join(stage.base, 'roots', 'witness');
    for (const key of [
      'uploadpack.packObjectsHook',
      'core.fsmonitor',
      'core.sshCommand',
      'core.alternateRefsCommand',
      'core.gitProxy',
    ])
      git(stage.source, ['config', key, `touch ${witness};`]);
    for (const hook of [
      'post-checkout',
      'reference-transaction',
      'post-index-change',
      'fsmonitor-watchman',
      'update',
      'pre-auto-gc',
    ]) {
      writeFileSync(join(stage.source, '.git/hooks', hook), `#!/bin/sh\ntouch ${witness}\n`, { mode: 0o755 });
    }
    await fetch();
    expect(existsSync(witness)).toBe(false);
    expect(existsSync(join(stage.workspaceDir, '.git/hooks'))).toBe(false);
    mkdirSync(join(stage.source, '.git/objects/info'), { recursive: true });
    writeFileSync(join(stage.source, '.git/objects/info/alternates'), '/etc\n');
    await expect(fetch()).rejects.toThrow(/borrows objects of another repository/);
  });

  it('a repository that only its owner may read, bare ones, packed ones and SHA-256 ones', async () => {
    git(stage.source, ['gc', '-q']);
    chmodSync(join(stage.source, '.git'), 0o700);
    chmodSync(join(stage.source, '.git/objects'), 0o700);
    expect((await fetch()).baseCommit).toBe(first);
    const bare = join(stage.base, 'roots', 'bare.git');
    git(stage.base, ['clone', '-q', '--bare', stage.source, bare]);
    expect((await fetch({ clone_url: `file://${bare}` })).baseCommit).toBe(first);
    const modern = join(stage.base, 'roots', 'modern');
    mkdirSync(modern);
    git(modern, ['init', '-q', '--object-format=sha256']);
    git(modern, ['commit', '-q', '--allow-empty', '-m', 'x']);
    expect((await fetch({ clone_url: `file://${modern}` })).baseCommit).toHaveLength(64);
    stage.act('echo x > x');
    expect((await stage.collect()).patch.toString()).toContain('+++ b/x\n');
  });

  it('the original is not changed, not even by a link to its objects', async () => {
    git(stage.source, ['gc', '-q']);
    const look = () =>
      git(stage.source, ['rev-list', '--objects', '--all']) +
      JSON.stringify(['.git/HEAD', '.git/packed-refs'].map((name) => statSync(join(stage.source, name)).mtimeMs));
    const before = look();
    await fetch();
    stage.act(
      'find .git -type f -exec chmod u+w {} + ; for f in $(find .git/objects -type f); do echo destroyed > $f; done',
    );
    expect(look()).toBe(before);
    git(stage.source, ['fsck', '--strict']);
    expect(statSync(join(stage.source, '.git/HEAD')).uid).toBe(process.getuid?.());
  });

  it('submodules are empty folders; filling, leaving or deleting them shows', async () => {
    git(stage.source, ['update-index', '--add', '--cacheinfo', `160000,${first},module`]);
    git(stage.source, ['commit', '-q', '-m', 'submodule']);
    await fetch();
    expect((await stage.collect()).patch.toString()).toBe('(no changes)');
    stage.act('mkdir -p module; echo x > module/x; echo y > y');
    const filled = await stage.collect();
    expect(filled.patch.toString()).toMatch(/# folder "module\/": submodule, 1 files, 2 bytes, tree sha256:/);
    stage.apply(filled.patch);
    stage.act('rm -rf module');
    const deleted = await stage.collect();
    expect(deleted.patch.toString()).toContain('-Subproject commit');
  });
});

describe('what is refused', () => {
  it('addresses of other kinds than https and file', async () => {
    for (const clone_url of ['http://localhost/a', 'ssh://git@localhost/a', 'ext::sh -c id', 'git@localhost:a']) {
      await expect(fetch({ clone_url })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(/must (?:start with https|not contain white space)/) as unknown,
      });
    }
  });

  it('places outside the allowed folders, percent escapes, dots, links that lead out, what is no repository', async () => {
    const outside = join(stage.base, 'state');
    symlinkSync(outside, join(stage.source, 'way-out'));
    mkdirSync(join(stage.base, 'roots', 'plain'));
    const refused: [string, RegExp][] = [
      [`file://${outside}`, /not inside a folder of SERVICE_LOCAL_COPY_ROOTS/],
      [`file://${stage.source}/way-out`, /not inside a folder of SERVICE_LOCAL_COPY_ROOTS/],
      [`file://${stage.source}/../../state`, /must not contain \. or \.\. parts/],
      [`file://${stage.source}%2f..`, /percent escapes/],
      [`file://elsewhere${stage.source}`, /must not name a host/],
      [`file://${join(stage.base, 'roots', 'plain')}`, /is not a git repository/],
      [`file://${join(stage.base, 'roots', 'missing')}`, /is not a folder on this host/],
    ];
    for (const [clone_url, reason] of refused) {
      await expect(fetch({ clone_url })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(reason) as unknown,
      });
    }
  });

  it('refs that do not exist or are no names', async () => {
    await expect(fetch({ ref: 'nowhere' })).rejects.toThrow(
      'the repository could not be fetched: ref nowhere was not found in it',
    );
    for (const ref of ['--upload-pack=touch x', '-x', '.x', 'a..b', 'a:b', 'a b', '', '*', 'main^']) {
      await expect(fetch({ ref })).rejects.toMatchObject({ code: 'invalid_request' });
    }
    const empty = join(stage.base, 'roots', 'empty');
    mkdirSync(empty);
    git(empty, ['init', '-q']);
    await expect(fetch({ clone_url: `file://${empty}` })).rejects.toThrow('it has no commit to check out');
  });
});
