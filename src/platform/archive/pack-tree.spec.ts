import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { packArchive } from './pack.js';
import { packTree } from './pack-tree.js';

describe('packing a tree', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-tree-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const pack = async (): Promise<Buffer> => {
    const target = new PassThrough();
    const packing = packArchive(target, 1024 * 1024, (packer) => packTree(packer, folder, 'repo'));
    const [bytes] = await Promise.all([buffer(target), packing]);
    return bytes;
  };

  it('makes the same bytes of the same files, whatever their order, owner and time', async () => {
    writeFileSync(join(folder, 'b'), 'b');
    mkdirSync(join(folder, 'a'));
    writeFileSync(join(folder, 'a', 'x'), 'x', { mode: 0o700 });
    symlinkSync('/etc/passwd', join(folder, 'link'));
    const first = await pack();
    execFileSync('touch', ['-d', '2001-01-01', join(folder, 'b')]);
    expect(await pack()).toEqual(first);
    const listed = execFileSync('tar', ['-tzvf', '-'], { input: first, encoding: 'utf8' });
    expect(
      listed
        .trim()
        .split('\n')
        .map((line) => line.replace(/ .* \d\d:\d\d /, ' ')),
    ).toEqual([
      'drwxr-xr-x repo/',
      'drwxr-xr-x repo/a/',
      '-rwxr-xr-x repo/a/x',
      '-rw-r--r-- repo/b',
      'lrwxrwxrwx repo/link -> /etc/passwd',
    ]);
  });

  it.each([
    ['a name that is no UTF-8', `: > "$(printf 'a\\377')"`, 'is not UTF-8'],
    ['a pipe', 'mkfifo pipe', '"repo/pipe" is neither a file, a folder nor a link'],
    [
      'a link that leads to no text',
      `ln -s "$(printf 'a\\377')" link`,
      '"repo/link" is a link whose target is not UTF-8',
    ],
  ])('refuses %s', async (_what, script, words) => {
    execFileSync('sh', ['-c', script], { cwd: folder });
    await expect(pack()).rejects.toThrow(words);
  });
});
