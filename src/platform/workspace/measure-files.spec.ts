import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changedFile, MAX_SHOWN_FILES, measureFiles } from './measure-files.js';

let outside: string;
let workspace: string;
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'sg-measure-'));
  workspace = join(outside, 'workspace');
  mkdirSync(join(workspace, 'ops'), { recursive: true });
  writeFileSync(join(outside, 'secret'), 'secret');
  writeFileSync(join(workspace, 'ops/go.sh'), 'go\n');
});
afterEach(() => rmSync(outside, { recursive: true }));

const digest = (content: string): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const GO = { size: 3, digest: digest('go\n') };

describe('files that a command names', () => {
  it('are measured where they are regular files, over links of any kind below the workspace', async () => {
    symlinkSync('ops', join(workspace, 'now'));
    symlinkSync('../ops/go.sh', join(workspace, 'ops/again.sh'));
    symlinkSync('/workspace/ops/go.sh', join(workspace, 'absolute.sh'));
    symlinkSync('now/go.sh', join(workspace, 'two.sh'));
    const paths = ['ops/go.sh', 'now/go.sh', 'ops/again.sh', 'absolute.sh', 'two.sh'];
    expect(await measureFiles(workspace, paths)).toEqual(paths.map((path) => ({ path, ...GO })));
  });

  it('never lead out of the workspace, into a loop or to something to wait for', async () => {
    symlinkSync('../secret', join(workspace, 'up'));
    symlinkSync(join(outside, 'secret'), join(workspace, 'away'));
    symlinkSync('..', join(workspace, 'parent'));
    symlinkSync('loop', join(workspace, 'loop'));
    symlinkSync('/workspace', join(workspace, 'root'));
    execFileSync('mkfifo', [join(workspace, 'fifo')]);
    const paths = [
      'up',
      'away',
      'parent/secret',
      'loop',
      'root',
      'fifo',
      'ops',
      'missing',
      'ops/go.sh/x',
      'x'.repeat(300),
    ];
    expect(await measureFiles(workspace, paths)).toEqual([]);
    expect(await measureFiles(join(outside, 'no-workspace'), ['a'])).toEqual([]);
  });

  it('are told apart by content, by their coming and going, and when too large to read by what the kernel stamps', async () => {
    const paths = ['ops/go.sh', 'later.sh', 'big'];
    truncateSync(makeFile('big'), 20 * 1024 * 1024);
    const before = (await measureFiles(workspace, paths)) ?? [];
    expect(before.at(-1)).toMatchObject({ path: 'big', digest: null, stamp: expect.any(String) });
    const now = async () => changedFile(before, (await measureFiles(workspace, paths)) ?? []);
    expect(await now()).toBeNull();
    untilTheClockOfFilesMoves();
    // The same size and the same times that a program can set.
    const { mtime } = execStat('big');
    writeFileSync(join(workspace, 'big'), 'x', { flag: 'r+' });
    utimesSync(join(workspace, 'big'), mtime, mtime);
    expect(await now()).toBe('big');
    const settled = (await measureFiles(workspace, paths)) ?? [];
    makeFile('later.sh');
    expect(changedFile(settled, (await measureFiles(workspace, paths)) ?? [])).toBe('later.sh');
    rmSync(join(workspace, 'ops/go.sh'));
    rmSync(join(workspace, 'later.sh'));
    expect(changedFile(settled, (await measureFiles(workspace, paths)) ?? [])).toBe('ops/go.sh');
  });

  it('are too many for a person beyond a number', async () => {
    const paths = Array.from({ length: MAX_SHOWN_FILES + 1 }, (_, index) => `f${index}`);
    for (const path of paths) makeFile(path);
    expect(await measureFiles(workspace, paths)).toBeNull();
    expect(await measureFiles(workspace, paths.slice(1))).toHaveLength(MAX_SHOWN_FILES);
  });
});

function makeFile(name: string): string {
  writeFileSync(join(workspace, name), '');
  return join(workspace, name);
}

/** The kernel stamps files by a clock that stands still for some milliseconds at a time. */
function untilTheClockOfFilesMoves(): void {
  const stampOf = (name: string): bigint => statSync(makeFile(name), { bigint: true }).ctimeNs;
  const first = stampOf('../tick');
  while (stampOf('../tick') === first);
}

function execStat(name: string): { mtime: number } {
  return { mtime: Number(execFileSync('stat', ['-c', '%Y', join(workspace, name)]).toString()) };
}
