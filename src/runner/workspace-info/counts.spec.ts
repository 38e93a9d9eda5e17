import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceRoot } from '../tools/workspace-root.js';
import { countFiles, countMatches } from './counts.js';

let folder: string;
let workspace: WorkspaceRoot;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sg-info-'));
  for (const name of ['src', '.git', 'node_modules']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(folder, 'src/b.txt'), 'two\n');
  writeFileSync(join(folder, 'src/binary'), 'two\0two\n');
  writeFileSync(join(folder, '.git/config'), 'two\n');
  writeFileSync(join(folder, 'node_modules/c.txt'), 'two\n');
  symlinkSync('/etc/passwd', join(folder, 'link'));
  workspace = await WorkspaceRoot.open(folder);
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

describe('what the workspace-info server counts', () => {
  it('regular files of the work itself; links are not followed', async () => {
    expect(await countFiles(workspace)).toBe('3 files');
  });

  it('lines that match, in text files', async () => {
    expect(await countMatches(workspace, '^t')).toBe('3 lines in 2 files');
    expect(await countMatches(workspace, 'nowhere')).toBe('0 lines in 0 files');
  });

  it.each([undefined, '', 7, 'x'.repeat(1001), '('])('refuses the pattern %p', async (pattern) => {
    await expect(countMatches(workspace, pattern)).rejects.toThrow(/pattern/);
  });
});
