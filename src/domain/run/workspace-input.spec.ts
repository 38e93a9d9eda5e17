import { describe, expect, it } from '@jest/globals';
import { SandgateError } from '../errors.js';
import { cloneUrlProblem, fileUrlPath } from './clone-url.js';
import { refProblem, workBranch } from './git-ref.js';
import * as input from './workspace-input.js';
import type { WorkspaceSpec } from './spec.js';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(SandgateError);
    expect((error as SandgateError).httpStatus).toBe(400);
    return (error as SandgateError).message;
  }
  throw new Error('nothing was refused');
}

const BASE = 'https://code.example';
const parseWorkspace = (value: unknown, field: string, base = BASE) => input.parseWorkspace(value, field, base);
const resolveWorkspace = (body: { workspace?: unknown; repo?: unknown }, revision: WorkspaceSpec | null) =>
  input.resolveWorkspace(body, revision, BASE);

describe('workspace of a request', () => {
  it('CP-071 an object whose kind names the sort of workspace; anything else is refused', () => {
    expect(parseWorkspace({ kind: 'scratch' }, 'workspace')).toEqual({ kind: 'scratch' });
    expect(parseWorkspace({ kind: 'local_copy', path: '/srv/a' }, 'workspace')).toEqual({
      kind: 'local_copy',
      path: '/srv/a',
    });
    for (const bad of [null, 3, 'scratch', []]) {
      expect(refusal(() => parseWorkspace(bad, 'workspace'))).toBe(
        'workspace must be an object with a kind (scratch, local_copy, git_repository or upload)',
      );
    }
    for (const kind of [undefined, 'archive', 7, 'toString']) {
      expect(refusal(() => parseWorkspace({ kind }, 'workspace'))).toBe(
        'workspace.kind must be scratch, local_copy, git_repository or upload',
      );
    }
  });

  it('an upload is named by its id alone', () => {
    const id = '01900000-0000-7000-8000-00000000abcd';
    const workspace = { kind: 'upload', id: id.toUpperCase(), path: null };
    expect(parseWorkspace(workspace, 'workspace')).toEqual({ kind: 'upload', id });
    for (const bad of [undefined, '', 'last', '../../etc'])
      expect(refusal(() => parseWorkspace({ kind: 'upload', id: bad }, 'workspace'))).toBe(
        'workspace.id must be the id of an upload',
      );
    expect(refusal(() => parseWorkspace({ kind: 'scratch', id }, 'workspace'))).toBe(
      'workspace.id is of kind upload; this workspace is of kind scratch',
    );
  });

  it('legacy kinds and the legacy member are still read', () => {
    expect(parseWorkspace({ kind: 'none' }, 'repo')).toEqual({ kind: 'scratch' });
    expect(parseWorkspace({ kind: 'local_path', path: '/a' }, 'repo')).toEqual({ kind: 'local_copy', path: '/a' });
    expect(resolveWorkspace({ repo: { kind: 'none' } }, { kind: 'local_copy', path: '/a' })).toEqual({
      kind: 'scratch',
    });
    expect(refusal(() => resolveWorkspace({ repo: { kind: 'none' }, workspace: { kind: 'scratch' } }, null))).toBe(
      'workspace and repo are two names of one member: give only workspace',
    );
  });

  it('CP-086 the revision default serves when the run gives none, scratch when nobody does', () => {
    expect(resolveWorkspace({}, { kind: 'local_copy', path: '/a' })).toEqual({ kind: 'local_copy', path: '/a' });
    expect(resolveWorkspace({ workspace: null }, { kind: 'local_copy', path: '/a' })).toEqual({
      kind: 'local_copy',
      path: '/a',
    });
    expect(resolveWorkspace({ workspace: { kind: 'scratch' } }, { kind: 'local_copy', path: '/a' })).toEqual({
      kind: 'scratch',
    });
    expect(resolveWorkspace({}, null)).toEqual({ kind: 'scratch' });
  });

  it('CP-073 repository is owner/name and ref a string that selects what is checked out', () => {
    expect(parseWorkspace({ kind: 'git_repository', repository: 'acme/shop', ref: 'main' }, 'workspace')).toEqual({
      kind: 'git_repository',
      repository: 'acme/shop',
      clone_url: 'https://github.com/acme/shop.git',
      ref: 'main',
      checkout_mode: 'writable_copy',
    });
    for (const repository of ['acme', 'acme/', '/shop', 'a/b/c', 'a b/c', '../shop', 'acme/..', 'ácme/shop', '']) {
      expect(refusal(() => parseWorkspace({ kind: 'git_repository', repository }, 'workspace'))).toMatch(
        /^workspace\.repository must be owner\/name/,
      );
    }
    expect(refusal(() => parseWorkspace({ kind: 'git_repository', repository: 7 }, 'workspace'))).toBe(
      'workspace.repository must be a string',
    );
    expect(refusal(() => parseWorkspace({ kind: 'git_repository' }, 'workspace'))).toBe(
      'workspace of kind git_repository needs repository or clone_url',
    );
  });

  it('base_sha is a whole commit', () => {
    const base = (base_sha: string) =>
      parseWorkspace({ kind: 'git_repository', repository: 'a/b', base_sha }, 'workspace');
    expect(base('A'.repeat(40))).toMatchObject({ base_sha: 'a'.repeat(40) });
    for (const bad of ['main', 'abcdef0', 'a'.repeat(41), `-${'a'.repeat(39)}`])
      expect(refusal(() => base(bad))).toBe('workspace.base_sha must be 40 hexadecimal digits');
  });

  it('commit_sha is 7 to 40 hexadecimal digits', () => {
    const commit = (commit_sha: unknown) =>
      parseWorkspace({ kind: 'git_repository', repository: 'a/b', commit_sha }, 'workspace');
    expect(commit('ABCDEF0')).toMatchObject({ commit_sha: 'abcdef0' });
    expect(commit('a'.repeat(40))).toMatchObject({ commit_sha: 'a'.repeat(40) });
    for (const bad of ['abcdef', 'a'.repeat(41), 'abcdefg', '', '-abcdef0']) {
      expect(refusal(() => commit(bad))).toBe('workspace.commit_sha must be 7 to 40 hexadecimal digits');
    }
  });

  it('null members are absent, members of the server are dropped, the checkout mode is checked', () => {
    const spec = parseWorkspace(
      {
        kind: 'git_repository',
        clone_url: 'file:///srv/r',
        repository: null,
        ref: null,
        commit_sha: null,
        connection_id: null,
        binding_id: 'x',
        checkout_mode: 'read_only',
      },
      'workspace',
    );
    expect(spec).toEqual({ kind: 'git_repository', clone_url: 'file:///srv/r', checkout_mode: 'read_only' });
    expect(
      refusal(() => parseWorkspace({ kind: 'git_repository', repository: 'a/b', checkout_mode: 'rw' }, 'workspace')),
    ).toBe('workspace.checkout_mode must be writable_copy or read_only');
  });

  it('a local copy needs an absolute, non-blank path and globs that stay inside', () => {
    for (const path of [undefined, null, '', '  ']) {
      expect(refusal(() => parseWorkspace({ kind: 'local_copy', path }, 'workspace'))).toBe(
        'workspace.path must be a non-blank path on the server',
      );
    }
    expect(refusal(() => parseWorkspace({ kind: 'local_copy', path: 'a/b' }, 'workspace'))).toContain(
      'must be absolute',
    );
    expect(refusal(() => parseWorkspace({ kind: 'local_copy', path: '/a\0b' }, 'workspace'))).toBe(
      'workspace.path must not contain NUL',
    );
    expect(parseWorkspace({ kind: 'local_copy', path: '/a', include: ['dist/**'] }, 'workspace')).toMatchObject({
      include: ['dist/**'],
    });
    for (const include of ['dist', [''], ['../x'], ['!x'], [7], Array(65).fill('a')]) {
      expect(refusal(() => parseWorkspace({ kind: 'local_copy', path: '/a', include }, 'workspace'))).toMatch(
        /^workspace\.include/,
      );
    }
  });
});

describe('a repository that a connection fetches', () => {
  const id = '0198f3c2-0000-7000-8000-000000000001';
  const fetched = (more: object, base = BASE) =>
    parseWorkspace({ kind: 'git_repository', connection_id: id, ...more }, 'workspace', base);

  it('CP-072 connection_id is a uuid, and its repository lies below the clone base of the deployment', () => {
    expect(fetched({ repository: 'a/b' })).toMatchObject({ connection_id: id, clone_url: `${BASE}/a/b` });
    expect(fetched({ clone_url: `${BASE}/deep/a.git` })).toMatchObject({ clone_url: `${BASE}/deep/a.git` });
    expect(fetched({ repository: 'a/b' }, 'file:///srv/git')).toMatchObject({ clone_url: 'file:///srv/git/a/b' });
    expect(refusal(() => fetched({ repository: 'a/b', connection_id: 'x' }))).toBe(
      'workspace.connection_id must be a uuid',
    );
    expect(refusal(() => fetched({}))).toBe('workspace of kind git_repository needs repository or clone_url');
  });

  it('CP-072 its credential is shown to no other scheme, host or port, whatever clone_url says', () => {
    const elsewhere = [
      'https://code.example.evil.test/a/b',
      'https://code.example:8443/a/b',
      'https://other.example/a/b',
      'file:///srv/git/a/b',
    ];
    for (const clone_url of elsewhere)
      expect(refusal(() => fetched({ clone_url }))).toBe(
        `workspace.clone_url must lie on the code host of the connection, below ${BASE}`,
      );
    for (const clone_url of ['file:///srv/gitter/a', 'file:///srv', `${BASE}/a/b`])
      expect(refusal(() => fetched({ clone_url }, 'file:///srv/git'))).toContain('below file:///srv/git');
    expect(refusal(() => fetched({ clone_url: 'http://code.example/a/b' }))).toContain('https://');
    expect(refusal(() => fetched({ clone_url: 'https://u:p@code.example/a/b' }))).toContain('credentials');
  });

  it('without one it comes from the public host, or from where clone_url says', () => {
    expect(parseWorkspace({ kind: 'git_repository', repository: 'a/b' }, 'workspace')).toMatchObject({
      clone_url: 'https://github.com/a/b.git',
    });
  });
});

describe('git names', () => {
  it('refuses what is no name: options, ranges, refspecs, patterns, expressions', () => {
    const bad = [
      '',
      '-x',
      '--upload-pack=x',
      '.x',
      'a..b',
      'a:b',
      'a b',
      'a\nb',
      'a\u0000b',
      'a\u007fb',
      '^a',
      'a~1',
      'a*',
      'a?',
      '[a',
      'a\\b',
      '@{-1}',
      '/a',
      'a/',
      'a//b',
      'a.lock',
      'a.',
    ];
    for (const ref of bad) expect(refProblem(ref)).toBeDefined();
    for (const ref of ['main', 'HEAD', 'feature/x', 'v1.2.3', 'refs/heads/main', '+x', 'é', 'a'.repeat(40)])
      expect(refProblem(ref)).toBeUndefined();
  });

  it('the work branch is the ref name or service-work', () => {
    expect(workBranch('main')).toBe('main');
    expect(workBranch('refs/heads/feature/x')).toBe('feature/x');
    expect(workBranch('refs/tags/v1')).toBe('v1');
    for (const ref of [undefined, 'HEAD', 'a'.repeat(40), 'refs/pull/1/head', '+x', 'a/.b', 'FETCH_HEAD'])
      expect(workBranch(ref)).toBe('service-work');
  });

  it('clone URLs: https without credentials, file without host, escapes and dot parts', () => {
    for (const url of ['https://example.com/a/b.git', 'file:///srv/r', 'file://localhost/srv/r'])
      expect(cloneUrlProblem(url)).toBeUndefined();
    const bad = [
      'http://example.com/a',
      'ssh://git@example.com/a',
      'git@example.com:a/b',
      'ext::sh -c id',
      'https://u:p@example.com/a',
      'https://example.com/',
      'https://example.com/a?x=1',
      'https://',
      'file://host/srv',
      'file:///a/%2e%2e/b',
      'file:///a/../b',
      '/srv/r',
      'HTTPS://example.com/a b',
    ];
    for (const url of bad) expect(cloneUrlProblem(url)).toBeDefined();
    expect(fileUrlPath('file:///srv/r')).toBe('/srv/r');
    expect(fileUrlPath('file://localhost/srv/r')).toBe('/srv/r');
  });
});
