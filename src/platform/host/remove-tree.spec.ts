import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyTree, removeTree } from './remove-tree.js';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'remove-tree-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('removing a tree that an agent wrote', () => {
  it('never follows a link, neither a nested one nor the root itself', async () => {
    const outside = join(base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious'), 'x');
    const tree = join(base, 'tree');
    mkdirSync(join(tree, 'a'), { recursive: true });
    symlinkSync(outside, join(tree, 'a', 'link'));
    symlinkSync(outside, join(base, 'root-link'));
    await removeTree(tree);
    await removeTree(join(base, 'root-link'));
    expect(existsSync(tree)).toBe(false);
    expect(readdirSync(base)).toEqual(['outside']);
    expect(readdirSync(outside)).toEqual(['precious']);
  });

  it('a directory 10,000 deep with a file at every hundredth level', async () => {
    const tree = join(base, 'tree');
    mkdirSync(tree);
    const dig = `const fs=require('fs');for(let i=0;i<10000;i++){fs.mkdirSync('d'.repeat(12));process.chdir('d'.repeat(12));if(i%100===0)fs.writeFileSync('f','')}`;
    execFileSync(process.execPath, ['-e', dig], { cwd: tree });
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  }, 120_000);

  it('several who remove one tree at the same moment all succeed', async () => {
    for (let round = 0; round < 10; round += 1) {
      const tree = join(base, `tree-${round}`);
      for (let folder = 0; folder < 12; folder += 1) {
        mkdirSync(join(tree, String(folder), 'deep/er'), { recursive: true });
        for (let file = 0; file < 8; file += 1) writeFileSync(join(tree, String(folder), 'deep', `${file}`), '');
      }
      await Promise.all(Array.from({ length: 4 }, () => removeTree(tree)));
      expect(existsSync(tree)).toBe(false);
    }
  });

  it('modes of the tree, odd names, FIFOs and many files do not stop it; emptying keeps the root', async () => {
    const tree = join(base, 'tree');
    mkdirSync(join(tree, 'locked', 'inner'), { recursive: true });
    writeFileSync(join(tree, 'locked', 'inner', 'f'), '');
    for (let index = 0; index < 500; index++) writeFileSync(join(tree, `file ${index}\n"'`), '');
    writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]), '');
    mkdirSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0x62, 0xff, 0x0a])]));
    execFileSync('mkfifo', [join(tree, 'pipe')]);
    chmodSync(join(tree, 'locked', 'inner'), 0);
    chmodSync(join(tree, 'locked'), 0);
    await emptyTree(tree);
    expect(readdirSync(tree)).toEqual([]);
  });

  it('gone already is success', async () => {
    await removeTree(join(base, 'nothing'));
    writeFileSync(join(base, 'file'), '');
    await removeTree(join(base, 'file'));
    expect(readdirSync(base)).toEqual([]);
  });

  it('refuses the root and a path that depends on where the process stands', async () => {
    await expect(removeTree('/')).rejects.toThrow(/refusing/);
    await expect(removeTree('relative')).rejects.toThrow(/refusing/);
  });
});
