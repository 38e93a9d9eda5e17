import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CodeHost, end, type Interference } from '../../support/codehost/code-host.js';
import { refuseFilters, refuseSingleCommits } from '../../support/codehost/interference.js';
import { lookAround } from '../../support/codehost/shown-credentials.js';
import { contentOf, git, Stage } from './support.js';

jest.setTimeout(120_000);

/** Of this process alone: the same may be tried by another one on this machine. */
const TOKEN = `ghp_canary${randomBytes(16).toString('hex')}`;
const HEADER = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`;

let host: CodeHost;
let stage: Stage;
let source: string;
beforeAll(async () => {
  host = await CodeHost.start({ tokens: [TOKEN], names: ['code.test'] });
  source = mkdtempSync(join(tmpdir(), 'published-'));
  git(source, ['init', '-q', '--bare']);
  line('main', 5);
  line('feature', 2, 'main', 'change');
  line('main', 3, 'main');
  // What was merged into it meanwhile is not its change.
  line('updated', 2, 'main~2', 'change');
  merge('updated', 'main~1');
  line('long', 300, 'main~1', 'change');
  line('old', 3, 'main~1', 'change');
  line('main-later', 300, 'main');
  line('stale', 2, 'main~6', 'stale');
  merge('main-later', 'stale');
  line('unrelated', 1, null, 'change');
  host.publish(source, 'acme/shop');
});
afterAll(async () => {
  await host?.stop();
  rmSync(source, { recursive: true, force: true });
});
beforeEach(() => {
  stage = new Stage();
  stage.remote = {
    route: (url) => Promise.resolve({ resolve: [`${url.hostname}:${url.port}:127.0.0.1`], proxy: null }),
    authorization: () => Promise.resolve(HEADER),
    authorities: () => host.certificate,
  };
  host.requests.length = 0;
  host.interfere = [];
});
afterEach(() => stage.remove());

/** So many commits on a branch, each of which changes the file that is called like `name`. */
function line(branch: string, count: number, from: string | null = null, name = branch): void {
  const begin = from === null ? [] : [`from ${at(from)}`];
  const commits = Array.from({ length: count }, (_, index) => [
    `commit refs/heads/${branch}`,
    `committer t <t@t> ${1_700_000_000 + index} +0000`,
    'data <<END',
    `${branch} ${index + 1}`,
    'END',
    ...(index === 0 ? begin : []),
    `M 100644 inline ${name}.txt`,
    'data <<END',
    `${branch} ${index + 1}`,
    'END',
    '',
  ]);
  git(source, ['fast-import', '--quiet', '--force'], `${commits.flat().join('\n')}\n`);
}

/** A commit that has both as parents and the files of both. */
function merge(branch: string, other: string): void {
  const base = git(source, ['merge-base', branch, other]).trim();
  git(source, ['read-tree', '--empty']);
  git(source, ['read-tree', '-i', '-m', '--aggressive', base, branch, other]);
  const tree = git(source, ['write-tree']).trim();
  const made = git(source, ['commit-tree', tree, '-p', branch, '-p', other, '-m', `merge ${other}`]).trim();
  git(source, ['update-ref', `refs/heads/${branch}`, made]);
}

const at = (name: string) => git(source, ['rev-parse', name]).trim();
const changeOf = (head: string, base: string) => git(source, ['diff', `${base}...${head}`]);

const fetch = (head: string, base: string, cloneUrl = `${host.url('code.test')}/acme/shop`, roots?: string[]) =>
  stage.prepare(
    { kind: 'git_repository', clone_url: cloneUrl, commit_sha: at(head), base_sha: base, checkout_mode: 'read_only' },
    roots,
  );

const AWAY: Interference = ({ method }, response) => {
  if (method === 'POST') end(response, 502);
  return method === 'POST';
};

describe('the workspace of a pull request', () => {
  it.each<[string, Interference[]]>([
    ['hands out commits without files', []],
    ['sends files with every commit', [refuseFilters()]],
    ['hands out no single commit', [refuseSingleCommits()]],
  ])('CP-109 holds its change, and nothing of what its branch became since: a host that %s', async (_, interfere) => {
    host.interfere = interfere;
    const change = changeOf('feature', 'main');
    expect(change).toContain('+feature 2');
    expect(await fetch('feature', at('main'))).toEqual({
      baseCommit: at('feature'),
      mergeBase: at('main~3'),
      files: 2,
      leftOut: 0,
    });
    expect(stage.act('git diff pr-base HEAD')).toBe(change);
    expect(stage.act('git diff pr-base...HEAD')).toBe(change);
    expect(stage.act('git log --format=%s pr-base..HEAD')).toBe('feature 2\nfeature 1\n');
    expect(stage.act('git tag; git branch --format="%(refname:short)"; git remote')).toBe('pr-base\nservice-work\n');
    expect(stage.act('git fsck --no-dangling 2>&1; git status --porcelain')).toBe('');
    expect(contentOf(stage.workspaceDir)).toEqual({ 'change.txt': 'file feature 2\n', 'main.txt': 'file main 5\n' });
  });

  it('begins after what was merged into it last', async () => {
    expect(await fetch('updated', at('main'))).toMatchObject({ mergeBase: at('main~1') });
    expect(stage.act('git diff pr-base...HEAD')).toBe(changeOf('updated', 'main'));
  });

  it('is found however old it is, and is not taken from a branch that is older and was merged later', async () => {
    expect(await fetch('old', at('main-later'))).toMatchObject({ mergeBase: at('main~1') });
    expect(stage.act('git diff pr-base HEAD')).toBe(changeOf('old', 'main-later'));
    expect(stage.act('git rev-list --count HEAD')).toBe('4\n');
  });

  it('is there without its history where that is long', async () => {
    expect(await fetch('long', at('main'))).toMatchObject({ mergeBase: at('main~1') });
    expect(stage.act('git diff pr-base HEAD')).toBe(changeOf('long', 'main'));
    expect(stage.act('git rev-list --count HEAD')).toBe('1\n');
  });

  it.each<[string, () => string]>([
    ['has no history in common with it', () => at('unrelated')],
    ['is not there any more', () => 'f'.repeat(40)],
  ])('is filled all the same where the base %s', async (_, base) => {
    expect(await fetch('feature', base())).toMatchObject({ baseCommit: at('feature'), mergeBase: null });
    expect(stage.act('git tag; git rev-list --count HEAD')).toBe('1\n');
  });

  it('is tried again where the host is away', async () => {
    host.interfere = [AWAY];
    await expect(fetch('feature', at('main'))).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('CP-289 costs one look at the credential, which is in no file, and leaves nothing of the search behind', async () => {
    let asked = 0;
    stage.remote = { ...stage.remote, authorization: () => Promise.resolve((asked += 1) > 0 ? HEADER : null) };
    const canaries = [TOKEN, HEADER.slice('Basic '.length)];
    const look = () => lookAround({ canaries, url: host.url('code.test'), folder: stage.base });
    const seen: ReturnType<typeof look>[] = [];
    host.interfere = [({ method }) => method === 'POST' && seen.push(look()) < 0];
    await fetch('feature', at('main'));
    expect(asked).toBe(1);
    // Of both fetches, while git waits for their packs.
    expect(seen.filter(({ environments }) => environments.length > 0).length).toBeGreaterThan(1);
    for (const { commandLines, files } of [...seen, look()]) expect([commandLines, files]).toEqual([[], []]);
    expect(stage.act('cat .git/config; ls .git/objects/pack')).not.toMatch(/remote|promisor/);
  });

  it('of a repository on this host is the same', async () => {
    const roots = [source];
    expect(await fetch('feature', at('main'), `file://${source}`, roots)).toMatchObject({ mergeBase: at('main~3') });
    expect(stage.act('git diff pr-base...HEAD')).toBe(changeOf('feature', 'main'));
  });
});
