import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from './remove-tree.js';

describe('removing a tree that an agent wrote', () => {
  let folder: string;
  let tree: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandgate-remove-'));
    tree = join(folder, 'tree');
    mkdirSync(tree);
    mkdirSync(join(folder, 'treasure'));
    writeFileSync(join(folder, 'treasure/kept'), 'still here');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const treasureIsKept = (): void => expect(readFileSync(join(folder, 'treasure/kept'), 'utf8')).toBe('still here');

  it('follows no link, to a folder, a file or itself', async () => {
    symlinkSync(join(folder, 'treasure'), join(tree, 'folder'));
    symlinkSync(join(folder, 'treasure/kept'), join(tree, 'file'));
    symlinkSync('.', join(tree, 'self'));
    symlinkSync('/nowhere', join(tree, 'dangling'));
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
    treasureIsKept();
  });

  it('removes a link in place of the tree and nothing behind it', async () => {
    symlinkSync(join(folder, 'treasure'), join(folder, 'link'));
    await removeTree(join(folder, 'link'));
    expect(existsSync(join(folder, 'link'))).toBe(false);
    treasureIsKept();
  });

  it('copes with paths far longer than the kernel takes', async () => {
    const script =
      'const name = "n".repeat(200); for (let depth = 0; depth < 120; depth++) { require("fs").mkdirSync(name); require("fs").writeFileSync("file", ""); process.chdir(name); }';
    execFileSync(process.execPath, ['-e', script], { cwd: tree });
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('opens up folders without permissions and takes names of any bytes', async () => {
    mkdirSync(join(tree, 'locked/inner'), { recursive: true });
    writeFileSync(join(tree, 'locked/inner/file'), '');
    chmodSync(join(tree, 'locked/inner'), 0);
    chmodSync(join(tree, 'locked'), 0);
    mkdirSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x62, 0xff, 0x0a])]));
    mkdirSync(join(tree, '.sandgate-removed-0'));
    mkdirSync(join(tree, '.sandgate-removed-1/deeper'), { recursive: true });
    execFileSync('mkfifo', [join(tree, 'pipe')]);
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });

  it('is content with what is gone, and refuses the root', async () => {
    await removeTree(join(folder, 'missing'));
    await expect(removeTree('/')).rejects.toThrow(/refusing/);
    await expect(removeTree('relative')).rejects.toThrow(/refusing/);
  });
});
